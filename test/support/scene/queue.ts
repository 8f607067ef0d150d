import type { Waiting } from '../../../actors/task-service.ts'
import { RUNNING_TASKS_MAX } from '../../../machines/limits.ts'
import { aScene, type Scene, type SceneBrowser, type StartFields, saying, settled } from '../scene.ts'

/** Scenes in which starts wait. */

const HOW: Waiting = { onLimit: false, priority: 3, queueTtlMs: 600_000, onAway: false, waitTtlMs: 600_000 }
export const queueing = (how: Partial<Waiting> = {}): Waiting => ({ ...HOW, onLimit: true, ...how })
export const awaiting = (how: Partial<Waiting> = {}): Waiting => ({ ...HOW, onAway: true, ...how })

/** The model ends whatever it is asked for. */
export async function answerAll(scene: Scene): Promise<void> {
  for (const asked of scene.model.waiting.splice(0)) asked.answer(saying('Done.'))
  await settled()
}

/** As many tasks as may run at once run, so that what comes next waits. */
export async function full(prepare: (scene: Scene) => void = () => {}) {
  const scene = await aScene(prepare)
  const browser = scene.browser()
  const running: string[] = []
  for (let i = 0; i < RUNNING_TASKS_MAX; i++) running.push(await scene.task(browser))
  return { scene, browser, running }
}

export const queuedTask = (scene: Scene, browser: SceneBrowser, how: Partial<Waiting> = {}, fields: StartFields = {}) =>
  scene.task(browser, { ...fields, waiting: queueing(how) })
