import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LAST_REPLY_MS, STORE_RETRY_MS } from '../../machines/limits.ts'
import { ENDINGS, goesOn, INTERRUPTED, type Interrupted } from '../support/scene/interrupted.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { settled } from '../support/scene.ts'

const test = suite('what waits when its process ends')

/** What happens first when the next process has begun. Gives what must have come of it. */
const AFTERWARDS: Readonly<Record<string, (own: Interrupted) => Promise<Partial<Expected>>>> = {
  async resume({ scene, id }) {
    await scene.taskService.pauseTask(scene.workspaceId, id, false, 'client')
    await scene.taskService.pauseTask(scene.workspaceId, id, false, 'browser')
    return {}
  },
  async answer({ scene, id }) {
    const { inputRequest } = await scene.view(id)
    const answer = { action: 'accept', content: inputRequest?.kind === 'question' ? 'green' : null } as const
    const of = inputRequest?.id ?? 'nothing'
    const said = await scene.taskService.answerInput(scene.workspaceId, id, of, answer)
    assert.is(said, inputRequest ? 'accepted' : 'no_request')
    const again = await scene.taskService.answerInput(scene.workspaceId, id, of, answer)
    assert.is(again, inputRequest ? 'answered' : 'no_request')
    return {}
  },
  async message({ scene, id }) {
    const message = { text: 'Not the green one.', interrupt: false }
    assert.is(await scene.taskService.sendMessage(scene.workspaceId, id, message), 'sent')
    return { read: message.text, answer: 'Done.' }
  },
  async 'an interrupting message'({ scene, id }) {
    const message = { text: 'Stop, not the green one.', interrupt: true }
    assert.is(await scene.taskService.sendMessage(scene.workspaceId, id, message), 'sent')
    return { read: message.text, answer: 'Done.' }
  },
  async cancel({ scene, id }) {
    const ended = await scene.taskService.cancelTask(scene.workspaceId, id)
    assert.is(typeof ended === 'string' ? ended : ended.endedBy, 'cancelled')
    return { endedBy: 'cancelled', answer: 'Task was cancelled.' }
  },
  /** The last minute rings, or the time for an answer is over, before the log can be read. */
  async 'its last minute, the log not read'({ scene, id }) {
    const { state } = await scene.view(id)
    if (state !== 'queued') {
      scene.store.fault = (name) => (name === 'log' ? 'rejects' : null)
      scene.clock.jump(scene.record(id).deadlineAt - LAST_REPLY_MS - scene.clock.now())
      const opening = scene.reopen()
      await scene.clock.advance(0)
      scene.store.fault = () => null
      await scene.clock.advance(STORE_RETRY_MS)
      await opening
    }
    return {}
  },
}

interface Expected {
  readonly endedBy: string
  readonly answer: string
  /** What a request to its model must have had. */
  readonly read: string
}

for (const [state, into] of Object.entries(INTERRUPTED))
  for (const [ending, end] of Object.entries(ENDINGS))
    for (const [action, act] of Object.entries(AFTERWARDS)) {
      // What is not written last is the same whatever comes afterwards.
      if (ending === 'kill -9 in a hand-over' && !['resume', 'cancel'].includes(action)) continue
      test(`[D7 I2 I4] ${state}, ${ending}, then ${action}: it goes on from there, and nothing is lost or done twice`, async () => {
        const own = await into()
        const { scene, browser, id } = own
        const { asked } = scene.model
        await end(own)
        scene.lines.lines.length = 0
        await scene.open()
        const expected = await act(own)
        await settled()
        await goesOn(own)
        const { endedBy, answer } = scene.record(id)
        assert.is(endedBy, expected.endedBy ?? 'completed', `${endedBy}: ${answer}`)
        assert.is(answer, expected.answer ?? own.answered ?? 'Done.')
        if (own.answered && answer === own.answered) assert.is(scene.model.asked, asked, 'the model was asked again')
        if (expected.read) assert.match(JSON.stringify(scene.model.last?.messages), expected.read)
        assert.is(browser.executed.length, new Set(browser.executed).size, 'a call was made twice')
        if (endedBy !== 'cancelled') assert.ok(browser.executed.length >= own.calls, 'a call was not made')
        consistent(own)
        assert.equal(
          scene.lines.lines.filter(({ level }) => level === 'error'),
          [],
        )
      })
    }

/** [V1] Its log counts on without a gap; each call of it is in it once, with one result. */
function consistent({ scene, id }: Interrupted): void {
  const entries = scene.store.entries(id)
  assert.equal(
    entries.map(({ n }) => n),
    entries.map((_, index) => index + 1),
  )
  const ids = (kind: 'tool.called' | 'tool.result') =>
    entries.flatMap((entry) => (entry.kind === kind ? [entry.public.call_id] : []))
  for (const kind of ['tool.called', 'tool.result'] as const)
    assert.is(ids(kind).length, new Set(ids(kind)).size, `${kind} twice under one id`)
  assert.is(entries.filter(({ kind }) => kind === 'task.ended').length, 1)
  assert.is(entries.at(-1)?.kind, 'task.ended')
  if (scene.record(id).status === 'complete')
    assert.equal(ids('tool.result').sort(), ids('tool.called').sort(), 'a call without its result')
  if (scene.count('task') === 0) nothingLeft(scene)
}

test.run()
