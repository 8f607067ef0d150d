import * as assert from 'uvu/assert'
import type { Scene } from '../scene.ts'
import { calling, failing } from './model.ts'

/** What must be so when nothing is under way any more: only sessions, workspaces and the service itself live. */
export function nothingLeft(scene: Scene): void {
  const { system } = scene
  for (const actorKind of ['task', 'closing', 'call'] as const) assert.is(scene.count(actorKind), 0, actorKind)
  assert.is(system.starts.size, 0)
  assert.equal(
    [...scene.store.rows.keys()].filter((address) => !address.startsWith('workspace:')),
    [],
  )
  const [running] = [...scene.store.rows.values()].map(
    ({ snapshot }) => (snapshot as { context: { running: object } }).context,
  )
  assert.equal(running?.running ?? {}, {})
}

/** Ways into the states in which a task stays; where it is settled by then. */
export const INTO = {
  thinking: (scene: Scene) => scene.task(scene.browser()),
  backingOff: async (scene: Scene) => {
    const id = await scene.task(scene.browser())
    scene.model.answer(failing('busy', { retryAfterMs: 1_000 }))
    return id
  },
  persistingIntent: async (scene: Scene) => {
    const id = await scene.task(scene.browser())
    scene.store.fault = (name) => (name === 'commit' ? 'rejects' : null)
    scene.model.answer(calling(['find', {}]))
    return id
  },
  acting: async (scene: Scene) => {
    const browser = scene.browser()
    browser.answers = false
    const id = await scene.task(browser)
    scene.model.answer(calling(['find', {}]))
    return id
  },
  waitingForBrowser: async (scene: Scene) => {
    const browser = scene.browser()
    const id = await scene.task(browser)
    browser.disconnect()
    scene.model.answer(calling(['find', {}]))
    return id
  },
} satisfies Record<string, (scene: Scene) => Promise<string>>
