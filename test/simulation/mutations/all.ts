import { MUTATIONS } from './list.ts'
import { tryMutation } from './try.ts'

/**
 * Counts for docs/durability.md: how many of the first seeds find each mutation.
 *
 *   node --import tsx test/simulation/mutations/all.ts [seeds = 200]
 */
const seeds = Number(process.argv[2] ?? 200)
console.log(`| what is broken | first seed | of ${seeds} seeds | what they say |\n|---|---|---|---|`)
for (const mutation of MUTATIONS) {
  const { found, what } = await tryMutation(mutation, seeds, seeds)
  console.log(`| ${mutation.name} | ${found[0] ?? '–'} | ${found.length} | ${what.replace(/^seed \d+: /, '')} |`)
}
