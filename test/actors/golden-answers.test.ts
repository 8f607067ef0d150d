import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stepPage, taskJson } from '../../src/api/routes/task-json.ts'
import { STORIES } from '../support/scene/stories.ts'
import type { Scene } from '../support/scene.ts'

/**
 * What clients read of a task, byte for byte, as it was before its log was one: `UPDATE_GOLDEN=1` writes it anew, which only
 * a change of the answers themselves is a reason for.
 */
const GOLDEN = 'test/actors/golden-answers.jsonl'

/** What each way to read a task gives, a line for each part, with ids in the order in which they come. */
async function answersOf({ scene, id }: { scene: Scene; id: string }): Promise<string[]> {
  const { taskService, workspaceId } = scene
  const view = await scene.view(id)
  const steps = (await taskService.steps(workspaceId, id)) ?? []
  const shown = [...new Set(steps.map(({ step }) => step))]
  const images = await Promise.all(shown.map((step) => taskService.screenshot(workspaceId, id, step)))
  const answers = [
    taskJson(view, () => null, 0, await taskService.turns(id), await taskService.grounding(view)),
    ...stepPage(steps, {}).steps,
    images.map((image) => image && Buffer.from(image).toString()),
    ...(await taskService.events.ofTask(id, 0, 1_000)).map(({ event }) => event),
    (await taskService.events.ofWorkspace(workspaceId, 0, 1_000)).map(({ event }) => event.seq),
    ...scene.webhooks.map(({ body }) => body),
    ...scene.browsers.flatMap((browser) => browser.of('task_update')),
  ]
  const names = new Map<string, string>()
  const named = (uuid: string) => names.get(uuid) ?? names.set(uuid, `id-${names.size + 1}`).get(uuid) ?? uuid
  return answers.map((each) => JSON.stringify(each).replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, named))
}

const test = suite('golden answers')

const golden = existsSync(GOLDEN) ? readFileSync(GOLDEN, 'utf8').split('\n\n') : []
for (const [n, [name, story]] of Object.entries(STORIES).entries())
  test(`[T40 T44 V2] a task that ${name} reads as ever`, async () => {
    const answers = (await answersOf(await story())).join('\n')
    if (process.env.UPDATE_GOLDEN) golden[n] = answers
    assert.is(answers, golden[n])
  })
if (process.env.UPDATE_GOLDEN) test.after(() => writeFileSync(GOLDEN, golden.join('\n\n')))

test.run()
