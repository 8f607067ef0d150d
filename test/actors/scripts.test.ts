import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { groundingOf } from '../../actors/conversation/grounding.ts'
import { journalOf } from '../../machines/journal.ts'
import { SCRIPT_CALLS_MAX } from '../../machines/limits.ts'
import type { LogEntry } from '../../machines/task-log.ts'
import { answer, asked } from '../support/scene/inputs.ts'
import type { SceneScript } from '../support/scene/scripts.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type Scene, type SceneBrowser, saying, settled } from '../support/scene.ts'

const test = suite('scripts of a task')

const click = (ref: string) => ['computer', { action: 'left_click', ref }] as const
const clicks = (...refs: string[]): SceneScript =>
  function* () {
    const seen: string[] = []
    for (const ref of refs) seen.push((yield click(ref)).content)
    return seen.join(', ')
  }

/** A task whose model has asked for a script, and its browser. */
async function running(script: SceneScript, fields: object = {}, more: { timeout_s?: number; answers?: boolean } = {}) {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = more.answers ?? true
  browser.result = ({ input }) => ({
    output: `at ${(input as { ref?: string }).ref}`,
    said: 'Clicked.',
    page: { content: `at ${(input as { ref?: string }).ref}` },
  })
  const id = await scene.task(browser, fields)
  scene.model.answer(calling(scene.scripts.call(script, more.timeout_s ? { timeout_s: more.timeout_s } : {})))
  await settled(60)
  return { scene, browser, id }
}
const logOf = (scene: Scene, id: string): Promise<LogEntry[]> => scene.system.ports.store.log(id)
/** What the model was given last: the results of its calls. */
function read(scene: Scene): string {
  const last = scene.model.last?.messages.at(-1)
  return last?.role === 'tool' ? last.results.map(({ tool, text }) => `${tool}: ${text}`).join('\n') : ''
}
const refsOf = (browser: SceneBrowser) =>
  browser.of('mcp_execute_tool').map(({ input }) => (input as { ref?: string }).ref)
async function completes(scene: Scene, id: string): Promise<void> {
  scene.model.answer(saying('Done.'))
  await settled()
  assert.is(scene.record(id).status, 'complete')
  nothingLeft(scene)
}

test('[L41] what a script asks for are calls of the task; its model reads what it returned alone', async () => {
  const { scene, browser, id } = await running(clicks('e1', 'e2', 'e3'))
  await scene.reaches(id, 'thinking')
  assert.equal(refsOf(browser), ['e1', 'e2', 'e3'])
  assert.is(scene.model.asked, 2)
  assert.match(read(scene), /^script: .*after 3 calls.*<page_content>\nat e1, at e2, at e3\n<\/page_content>$/s)
  const log = await logOf(scene, id)
  const called = log.flatMap((entry) => (entry.kind === 'tool.called' ? [entry.public] : []))
  const [script] = called
  assert.equal(
    called.map(({ tool, parent_call_id }) => [tool, parent_call_id]),
    [['script', undefined], ...Array.from({ length: 3 }, () => ['computer', script?.call_id])],
  )
  const steps = await scene.taskService.steps(scene.workspaceId, id)
  assert.is(steps?.filter(({ status }) => status === 'tool_result').length, 4)
  assert.is((await scene.view(id)).steps, 1)
  await completes(scene, id)
})

test('[L41] what was asked for behind a script that acted does not run, and what the browser refuses is thrown in it', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.result = ({ input }) => ((input as { ref?: string }).ref === 'e2' ? { error: 'Element e2 is gone' } : {})
  const id = await scene.task(browser)
  const careful: SceneScript = function* () {
    yield click('e1')
    try {
      yield click('e2')
    } catch (error) {
      return `caught: ${(error as Error).message}`
    }
    return 'not caught'
  }
  scene.model.answer(calling(scene.scripts.call(careful), click('e9')))
  await settled(60)
  assert.equal(refsOf(browser), ['e1', 'e2'])
  assert.match(read(scene), /caught: Element e2 is gone.*computer: Not run: the page changed before it/s)
  await completes(scene, id)
})

for (const when of ['sent', 'done', 'answered'] as const)
  test(`[L41 D8] a crash when a call of a script is ${when}: it goes on there, and nothing is done twice`, async () => {
    const { scene, browser, id } = await running(clicks('e1', 'e2', 'e3'), {}, { answers: false })
    const finishNext = async () => {
      browser.finish(undefined, browser.result(browser.of('mcp_execute_tool').at(-1) ?? { type: '' }))
      await settled(60)
    }
    await finishNext()
    await scene.reaches(id, 'acting')
    if (when === 'answered') await finishNext()
    scene.crash()
    if (when === 'done')
      browser.finish(undefined, browser.result(browser.of('mcp_execute_tool').at(-1) ?? { type: '' }))
    await scene.open()
    browser.connect()
    await settled(60)
    while ((await scene.stateOf(id)) !== 'thinking') await finishNext()
    assert.is(new Set(browser.executed).size, 3)
    assert.is(browser.executed.length, 3)
    assert.match(read(scene), /after 3 calls.*at e1, at e2, at e3/s)
    await completes(scene, id)
  })

test('[L42 D9] a call of which nobody knows what came of it ends the script, whatever it would do about it', async () => {
  const stubborn: SceneScript = function* () {
    for (;;)
      try {
        yield click('e1')
        return 'clicked'
      } catch {}
  }
  const { scene, browser, id } = await running(stubborn, {}, { answers: false })
  scene.crash()
  browser.forgets()
  await scene.open()
  browser.connect()
  await settled(60)
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 1)
  assert.match(read(scene), /The script was stopped in line \d+, after 1 call.*nobody knows/)
  await completes(scene, id)
})

test('[L41] a script that returns nothing says so', async () => {
  const { scene, id } = await running(function* () {
    yield click('e1')
    return ''
  })
  await scene.reaches(id, 'thinking')
  assert.match(
    read(scene),
    /^script: The script ended after 1 call\. It returned nothing; refs from before it may be gone\.$/,
  )
  await completes(scene, id)
})

test('[L42] a script ends at its 201st call, and when the time of its calls is over', async () => {
  const endless: SceneScript = function* () {
    for (let n = 0; ; n++) yield click(`e${n % 7}`)
  }
  const { scene, browser, id } = await running(endless)
  await settled(3_000)
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, SCRIPT_CALLS_MAX)
  assert.match(read(scene), /The script was stopped in line 201, after 200 calls: it may make 200 calls/)
  await completes(scene, id)

  const waiting: SceneScript = function* () {
    for (;;) yield ['computer', { action: 'wait', duration: 10 }]
  }
  const slow = await running(waiting, {}, { answers: false, timeout_s: 25 })
  for (let n = 1; n <= 3; n++) {
    await slow.scene.reaches(slow.id, 'acting')
    await slow.scene.clock.advance(10_000)
    slow.browser.finish()
    await settled(60)
  }
  await slow.scene.reaches(slow.id, 'thinking')
  assert.match(read(slow.scene), /after 3 calls: its 25 s are over/)
  await completes(slow.scene, slow.id)
})

test('[L42 I5] each call waits for its approval; one that is not approved ends the script', async () => {
  const stubborn: SceneScript = function* () {
    yield click('e1')
    try {
      yield click('e2')
    } catch {}
    yield click('e2')
    return 'ordered'
  }
  const { scene, browser, id } = await running(stubborn, { approvals: 'always' })
  const first = await asked(scene, id)
  await answer(scene, id, first.id, 'accept')
  const second = await asked(scene, id)
  await answer(scene, id, second.id, 'decline')
  await settled(60)
  await scene.reaches(id, 'thinking')
  assert.equal(refsOf(browser), ['e1'])
  assert.match(read(scene), /The script was stopped.*not approved/s)
  await completes(scene, id)
})

test('[L41 F2 X4] domains and secrets hold for what a script asks for, and it has no other tools', async () => {
  const abroad: SceneScript = function* () {
    const refusals: string[] = []
    for (const call of [
      ['navigate', { url: 'https://evil.example/' }],
      ['computer', { action: 'type', ref: 'e1', text: '{{secret:other}}' }],
    ] as const)
      try {
        yield call
      } catch (error) {
        refusals.push((error as Error).message)
      }
    return refusals.join(' / ')
  }
  const { scene, browser, id } = await running(abroad, { allowedDomains: ['shop.example'] })
  await scene.reaches(id, 'thinking')
  assert.equal(browser.executed, [])
  assert.match(read(scene), /shop\.example.* \/ .*other/s)
  for (const tool of ['javascript_tool', 'finish', 'ask_user', 'script', 'files', 'unknown']) {
    scene.model.answer(
      calling(
        scene.scripts.call(function* () {
          return (yield [tool, {}]).said
        }),
      ),
    )
    await settled(60)
    assert.match(read(scene), /a tool that scripts do not have/, tool)
  }
  assert.equal(browser.executed, [])
})

test('[L41] a pause and a message come between two calls of a script', async () => {
  const paused = await running(clicks('e1', 'e2'), {}, { answers: false })
  await paused.scene.taskService.pauseTask(paused.scene.workspaceId, paused.id, true)
  paused.browser.finish()
  await settled(60)
  await paused.scene.reaches(paused.id, 'paused')
  await paused.scene.reopen()
  paused.browser.connect()
  await settled(60)
  assert.equal(refsOf(paused.browser), ['e1'])
  await paused.scene.taskService.pauseTask(paused.scene.workspaceId, paused.id, false)
  await settled(60)
  assert.equal(refsOf(paused.browser), ['e1', 'e2'])
  paused.browser.finish()
  await settled(60)
  await completes(paused.scene, paused.id)

  const { scene, browser, id } = await running(clicks('e1', 'e2'), {}, { answers: false })
  await scene.taskService.sendMessage(scene.workspaceId, id, { text: 'Stop.', interrupt: true })
  browser.finish()
  await settled(60)
  assert.match(JSON.stringify(scene.model.last?.messages), /after 1 call: the user has sent a message/)
  await completes(scene, id)
})

test('[L43 L34] what a script made up is no source of an output; what its calls have read is', async () => {
  const liar: SceneScript = function* () {
    yield click('e1')
    return 'the total is 4711'
  }
  const { scene, id } = await running(liar)
  await scene.reaches(id, 'thinking')
  assert.match(read(scene), '4711')
  const journal = journalOf(await logOf(scene, id))
  assert.equal(groundingOf({ total: 4711, place: 'at e1' }, journal).ungrounded, ['/total'])
})

test.run()
