import { miniwobRoot } from '../harness/cache.ts'
import type { EvalTask } from '../harness/task.ts'
import { APPS } from './apps.ts'
import { CLICKS } from './clicks.ts'
import { CONTROLS } from './controls.ts'
import { FIELDS } from './fields.ts'
import { wordsOf } from './helpers.ts'
import { serveMiniwob } from './serve.ts'

const SOLVERS = { ...CLICKS, ...FIELDS, ...APPS, ...CONTROLS }

/** MiniWoB++ with solvers of our own: each task with `seeds` seeds. */
export async function miniwobTasks(seeds: number): Promise<EvalTask[]> {
  const root = await miniwobRoot()
  return Object.entries(SOLVERS).flatMap(([name, solve]) =>
    Array.from(
      { length: seeds },
      (_, at): EvalTask => ({
        name: `${name}#${at + 1}`,
        about: 'MiniWoB++',
        serve: serveMiniwob(root, name, at + 1),
        other: serveMiniwob(root, name, at + 1 + seeds),
        // Some give their task with its fields.
        goal: '[core.getUtterance()].map((goal) => goal.utterance ?? goal)[0]',
        spoilt: 'WOB_DONE_GLOBAL && !(WOB_RAW_REWARD_GLOBAL > 0)',
        async solve(hands) {
          await hands.open()
          const tree = await hands.look()
          await solve(hands, { tree, words: wordsOf(tree.slice(tree.indexOf('\n'))) })
        },
        check: 'WOB_DONE_GLOBAL && WOB_RAW_REWARD_GLOBAL > 0',
      }),
    ),
  )
}
