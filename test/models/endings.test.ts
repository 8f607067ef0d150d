import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LAST_REPLY_MS, SECOND_MS, STEPS_MAX } from '../../machines/limits.ts'
import { ANSWERS, MODEL_FAILURES, TO_MODEL } from '../../machines/texts.ts'
import { createToolbox } from '../../src/models/toolbox.ts'
import { eventually } from '../support/eventually.ts'
import { openModelEndpoint, type Plan, type Seen } from '../support/model-endpoint.ts'
import { aScene, type Scene } from '../support/scene.ts'
import { KINDS } from './kinds.ts'

const test = suite('how tasks end, on the wire')

const call = (tool: string, input: object): Plan => ({ calls: [{ tool, input }] })
const finish = (success: boolean, answer: string) => call('finish', { success, answer })
const waits = () => call('computer', { action: 'wait', duration: 1 })
const looks = (n: number) => call('find', { query: `tea ${n}` })

/** A task whose model is an endpoint that follows plans; `fails`: its browser can do nothing that it is asked. */
async function aTaskOn(kind: (typeof KINDS)[number], plans: readonly (Plan | ((seen: Seen) => Plan))[], fails = false) {
  const endpoint = await openModelEndpoint()
  endpoint.plan(...plans)
  const scene = await aScene((it) => {
    it.tools = createToolbox()
  })
  const model = kind.open(endpoint)
  scene.model.ask = (request, signal, hear) => model.ask(request, signal, hear)
  const browser = scene.browser()
  let calls = 0
  browser.result = () => ({ error: fails ? 'There is no such element.' : null, output: `${++calls}` })
  const id = await scene.task(browser)
  const told = () => JSON.stringify(endpoint.requests.at(-1)?.body)
  return { scene, id, endpoint, told }
}

/** The endpoint answers in its own time; that of the scene stands still, but for the waits between attempts. */
const until = (scene: Scene, is: () => boolean, stepMs = 0): Promise<void> =>
  eventually(async () => {
    if (stepMs > 0 && !is()) await scene.clock.advance(stepMs)
    return is()
  }, 'that it comes to it')

async function ended(scene: Scene, id: string, stepMs = 0) {
  await until(scene, () => scene.record(id).status !== 'running', stepMs)
  const { status, endedBy, answer, failure } = scene.record(id)
  return [status, endedBy, answer, failure]
}

const WIRES = KINDS.filter(({ name }) => ['anthropic', 'openai-compatible', 'google'].includes(name))
assert.is(WIRES.length, 3)

for (const kind of WIRES) {
  test(`[L40] ${kind.name}: calls that only fail end their task at the twelfth, and are noted at the fifth`, async () => {
    const notes: number[] = []
    const failing = (n: number) => (seen: Seen) => {
      if (JSON.stringify(seen.body).includes(TO_MODEL.failing)) notes.push(n)
      return looks(n)
    }
    const plans = Array.from({ length: 29 }, (_, n) => failing(n + 1))
    const { scene, id, endpoint } = await aTaskOn(kind, plans, true)
    assert.equal(await ended(scene, id), ['error', 'no_progress', ANSWERS.onlyFails, null])
    assert.is(endpoint.requests.length, 12)
    assert.is(notes[0], 6)
    await endpoint.close()
  })

  test(`[L40] ${kind.name}: six equal waits are no failure`, async () => {
    const { scene, id, endpoint, told } = await aTaskOn(kind, [
      ...Array.from({ length: 6 }, waits),
      finish(true, 'Done.'),
    ])
    assert.equal(await ended(scene, id), ['complete', 'completed', 'Done.', null])
    assert.not.match(told(), 'making no progress')
    await endpoint.close()
  })

  test(`[L1 L3] ${kind.name}: an empty reply is asked for again, and then is a failure of the model`, async () => {
    const { scene, id, endpoint } = await aTaskOn(kind, [{ text: '' }])
    const wanted = ['error', 'model_failure', ANSWERS.modelFailed(MODEL_FAILURES.empty), 'llm_error']
    assert.equal(await ended(scene, id, SECOND_MS), wanted)
    assert.is(endpoint.requests.length, 3)
    await endpoint.close()
  })

  test(`[L1] ${kind.name}: words alone are reminded of finish once, and end nothing as done`, async () => {
    const { scene, id, endpoint, told } = await aTaskOn(kind, [{ text: 'All is done.' }, { text: 'It is done.' }])
    assert.equal(await ended(scene, id), ['error', 'no_finish', 'It is done.', null])
    assert.match(told(), 'Words alone do not end the task.')
    await endpoint.close()
  })

  test(`[L2] ${kind.name}: the last of 50 steps says what was found`, async () => {
    const plans = [...Array.from({ length: STEPS_MAX - 1 }, (_, n) => looks(n)), finish(false, 'Seven teas so far.')]
    const { scene, id, endpoint, told } = await aTaskOn(kind, plans)
    assert.equal(await ended(scene, id), ['error', 'step_limit', 'Seven teas so far.', null])
    assert.is(endpoint.requests.length, STEPS_MAX)
    assert.match(told(), 'This is the last step of this task.')
    await endpoint.close()
  })

  test(`[L2] ${kind.name}: the last minute says what was found, though a reply was awaited`, async () => {
    const { scene, id, endpoint, told } = await aTaskOn(kind, [looks(1), 'hang', finish(false, 'Two teas so far.')])
    await until(scene, () => endpoint.requests.length === 2)
    scene.clock.jump(scene.record(id).deadlineAt - LAST_REPLY_MS - scene.clock.now())
    await scene.clock.advance(1)
    assert.equal(await ended(scene, id), ['error', 'time_limit', 'Two teas so far.', 'timeout'])
    assert.match(told(), 'The time of this task is nearly over')
    await endpoint.close()
  })
}

test.run()
