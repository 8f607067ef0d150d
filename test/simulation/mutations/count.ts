import { simulateNodes } from '../nodes/simulation.ts'
import { simulate } from '../simulation.ts'

/** Prints, for seeds 1 to the number given, which of them find a broken promise, on one node or on three. Stops early after `enough` finds. */
const [seeds = 0, enough = 0, change = {}, nodes = 1] = process.argv.slice(2).map((each) => JSON.parse(each))
const found: number[] = []
let what = ''
for (let seed = 1; seed <= seeds && found.length < enough; seed++) {
  try {
    await (nodes === 3 ? simulateNodes(seed, { change }) : simulate(seed, { change }))
  } catch (error) {
    found.push(seed)
    if (what === '') what = String((error as Error).message.split('\n').at(-1))
  }
}
console.log(JSON.stringify({ found, what }))
