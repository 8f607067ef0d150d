import { MUTATIONS } from './list.ts'
import { tryMutation } from './try.ts'

/**
 * Counts for docs/durability.md: which seed finds each mutation first, and how many of the seeds run did, until ten
 * had or there were no more.
 *
 *   node --import tsx test/simulation/mutations/all.ts [seeds = 1000]
 */
const seeds = Number(process.argv[2] ?? 1_000)
const ENOUGH = 10

console.log('| what is broken | found first by seed | finds | what they say |\n|---|---|---|---|')
for (const mutation of MUTATIONS) {
  const { found, what } = await tryMutation(mutation, seeds, ENOUGH)
  const ran = found.length < ENOUGH ? seeds : found.at(-1)
  const first = found[0] ?? 'none'
  console.log(`| ${mutation.name} | ${first} | ${found.length} of ${ran} | ${what.replace(/^seed \d+: /, '')} |`)
}
