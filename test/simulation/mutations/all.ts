import { NODE_MUTATIONS } from '../nodes/mutations.ts'
import { MUTATIONS } from './list.ts'
import { tryMutation } from './try.ts'

/**
 * The first seed that finds each mutation, and the promise that it saw broken; with `nodes`, the table of docs/growth.md.
 *
 *   node --import tsx test/simulation/mutations/all.ts [seeds = 2000] [nodes]
 */
const seeds = Number(process.argv[2] ?? 2_000)
const nodes = process.argv[3] === 'nodes' ? 3 : 1
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const SHOWN_MAX = 110

/** What a seed said, without its seed, ids and stacks. */
function shortly(what: string): string {
  const words = what.replace(/^seed \d+: /, '').replace(UUID, '…')
  return words.length <= SHOWN_MAX ? words : `${words.slice(0, SHOWN_MAX)}…`
}

console.log('| what is broken | found by seed | what it says |\n|---|---|---|')
for (const mutation of nodes === 3 ? NODE_MUTATIONS : MUTATIONS) {
  const { found, what } = await tryMutation(mutation, seeds, 1, nodes)
  console.log(`| ${mutation.name} | ${found[0] ?? `none of ${seeds}`} | ${shortly(what)} |`)
}
