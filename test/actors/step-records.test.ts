import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PROMPT_VERSION } from '../../actors/conversation/prompt.ts'
import { OUTPUT_CHARS_MAX } from '../../machines/limits.ts'
import type { StepRecord } from '../../machines/records.ts'
import { aScene, calling, type Scene, saying, settled } from '../support/scene.ts'

const test = suite('notes')

/** The records of one call that ends like this. */
async function recordsOf(
  prepare: (scene: Scene, browser: ReturnType<Scene['browser']>) => void,
): Promise<StepRecord[]> {
  const scene = await aScene()
  const browser = scene.browser()
  prepare(scene, browser)
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled()
  scene.model.answer(saying('Done.'))
  await settled()
  return (await scene.taskService.steps(scene.workspaceId, id))?.filter(({ toolName }) => toolName !== null) ?? []
}
const byStatus = (records: readonly StepRecord[]) => Object.fromEntries(records.map((each) => [each.status, each]))

test('[T40 T38] a call: its input when it is made, its output and duration when it is done', async () => {
  const { tool_use, tool_output, tool_result, screenshot } = byStatus(await recordsOf(() => {}))
  assert.equal([tool_use?.toolInput, tool_use?.durationMs], [{ query: 'tea' }, null])
  assert.equal([tool_output?.output, tool_output?.durationMs], ['seen', 0])
  assert.equal([tool_result?.output, tool_result?.durationMs], [null, 0])
  assert.is(screenshot, undefined)
})

test('[L28] a thinking record says which prompt the model was given', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  scene.model.answer(saying('Done.'))
  await settled()
  const [thinking] = (await scene.taskService.steps(scene.workspaceId, id)) ?? []
  assert.equal([thinking?.status, thinking?.promptVersion], ['thinking', PROMPT_VERSION])
})

test('[T38] the duration is the time from the opening of the call to its result', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', {}], ['find', {}]))
  await scene.clock.advance(700)
  browser.finish()
  await scene.clock.advance(250)
  browser.finish()
  await settled()
  const records = (await scene.taskService.steps(scene.workspaceId, id)) ?? []
  const durations = records.filter(({ status }) => status === 'tool_result').map(({ durationMs }) => durationMs)
  assert.equal(durations, [700, 250])
})

test('[T39] empty output yields no record; long output is cut; what is no string is JSON', async () => {
  const outputs = async (output: unknown) =>
    byStatus(await recordsOf((_, browser) => (browser.result = () => ({ output })))).tool_output?.output
  for (const empty of [null, undefined, '']) assert.is(await outputs(empty), undefined)
  assert.is((await outputs('x'.repeat(OUTPUT_CHARS_MAX + 1)))?.length, OUTPUT_CHARS_MAX)
  assert.is(await outputs({ found: 2 }), '{"found":2}')
})

test('[T38 R15] a screenshot is a record of its own, with or without output', async () => {
  for (const output of ['seen', null]) {
    const result = () => ({ output, screenshot: Buffer.from('a jpeg').toString('base64') })
    const { screenshot, tool_output } = byStatus(await recordsOf((_, browser) => (browser.result = result)))
    assert.equal([screenshot?.screenshot, screenshot?.durationMs], [0, 0])
    assert.is(tool_output === undefined, output === null)
  }
})

test('[L7 T40] a call that fails says so in its result, without the mark of a page', async () => {
  const result = () => ({ error: 'No such element' })
  const { tool_output, tool_result } = byStatus(await recordsOf((_, browser) => (browser.result = result)))
  assert.equal([tool_output?.output, tool_result?.output], ['Error: No such element', 'Error: No such element'])
})

test('[T43] steps and usage are live while the task runs', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  scene.model.answer(calling(['find', {}]))
  await settled()
  const { steps, usage, status } = await scene.view(id)
  assert.equal([steps, usage, status], [1, { inputTokens: 100, outputTokens: 10, apiCalls: 1 }, 'running'])
  assert.is(scene.record(id).steps, 0)
})

test('[T41] a screenshot is kept by the commit that has the result of its call', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.result = () => ({ screenshot: Buffer.from('a jpeg').toString('base64') })
  await scene.task(browser)
  scene.model.answer(calling(['find', {}]))
  await settled()
  const kinds = scene.store.commits.map((writes) =>
    writes.flatMap((write) =>
      write.kind === 'log.append' ? write.record.entries.map(({ kind }) => kind) : [write.kind],
    ),
  )
  const [commit] = kinds.filter((each) => each.includes('image.put'))
  assert.ok(commit?.includes('tool.result'))
})

test.run()
