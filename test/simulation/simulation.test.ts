import { holds } from './holds.ts'

/**
 * Whole services, each from one seed: the real machines, actors and relay on simulated time, with a simulated store,
 * network, model, browsers and clients, and with faults. After every event the promises of docs/durability.md are
 * looked after; the first that is broken ends the test with the seed, the step and what happened last.
 *
 * One seed again, with every line of what happens: `SEEDS=77 npm test -- test/simulation/simulation.test.ts`. A range:
 * `SEEDS=1-5000`. `npm run test:long` runs ten thousand.
 */
const [first, last = first] = (process.env.SEEDS ?? '1-12').split('-').map(Number)

holds(Number(first), Number(last))
