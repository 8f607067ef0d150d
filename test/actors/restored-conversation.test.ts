import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Conversation, Conversations } from '../../actors/conversation/conversation.ts'
import { STORE_RETRY_MS } from '../../machines/limits.ts'
import type { JournalEntry } from '../../machines/records.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { CONTEXT, reply, result, results, steps } from '../support/conversations.ts'
import { aLogOf } from '../support/logs.ts'
import { SceneClock, SceneModel, SceneStore, settled, THEN } from '../support/scene.ts'
import { aTask } from '../support/stores.ts'

const test = suite('restored conversation')

test('[D7] restored from its journal it is what it was, images included', async () => {
  const { conversation, entries } = steps(
    Array.from({ length: 14 }, (_, i) => `${i}`.repeat(45_000)),
    true,
  )
  const record = aTask()
  const store = new SceneStore()
  store.tasks.set(record.id, record)
  store.logs.set(record.id, aLogOf(record.id, entries))
  for (let number = 0; number < 14; number++)
    store.screenshots.set(`${record.id} ${number}`, {
      taskId: record.id,
      step: number,
      number,
      image: Buffer.from(`image ${number}`),
    })
  const restored = await Conversation.restore(record, CONTEXT, store.connect().store)
  assert.equal(restored.messages, conversation.messages)
  assert.equal([restored.entries.length, restored.screenshots], [conversation.entries.length, conversation.screenshots])
  assert.equal(restored.replyOf(3), conversation.replyOf(3))
  assert.equal(restored.resultOf('r3'), conversation.resultOf('r3'))
})

test('[L11 D7] with a batch of screenshots, what actions changed before the last turns goes; what was read stays, and so it does after a restart', async () => {
  const record = aTask()
  const conversation = new Conversation(record, CONTEXT)
  const store = new SceneStore()
  store.tasks.set(record.id, record)
  const entries: JournalEntry[] = []
  for (let step = 0; step < 14; step++) {
    const asked = reply(step + 1, `r${step}`)
    const tool = step % 2 === 0 ? 'computer' : 'read_page'
    const came = { ...result(`r${step}`, `${tool} ${'x'.repeat(3_000)}`, step % 2 === 0 ? step / 2 : null), tool }
    conversation.addReply(asked)
    conversation.addResult(came, step % 2 === 0 ? 'aW1hZ2U=' : null)
    entries.push(asked, came)
  }
  const isShort = results(conversation.messages).map(({ text }) => text.includes(TO_MODEL.outputShortened))
  // The seventh screenshot came with the thirteenth step.
  assert.equal(
    isShort,
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((step) => step < 8 && step % 2 === 0),
  )
  store.logs.set(record.id, aLogOf(record.id, entries))
  for (let number = 0; number < 7; number++) {
    const image = Buffer.from('image')
    store.screenshots.set(`${record.id} ${number}`, { taskId: record.id, step: number * 2 + 1, number, image })
  }
  const restored = await Conversation.restore(record, CONTEXT, store.connect().store)
  assert.equal(restored.messages, conversation.messages)
})

test('[D7 L11] a screenshot that was lost is a note', async () => {
  const { entries } = steps(['a', 'b'], true)
  const record = aTask()
  const store = new SceneStore()
  store.logs.set(record.id, aLogOf(record.id, entries))
  store.screenshots.set(`${record.id} 0`, { taskId: record.id, step: 1, number: 0, image: Buffer.from('image 0') })
  const { messages } = await Conversation.restore(record, CONTEXT, store.connect().store)
  assert.equal(
    results(messages).map(({ image, text }) => [image, text]),
    [
      [Buffer.from('image 0').toString('base64'), 'a'],
      [null, `b\n${TO_MODEL.screenshotDropped}`],
    ],
  )
})

const LOGS = { written: async () => {}, endOf: () => 0, unreadable: () => {} }

const some = () => {
  const clock = new SceneClock(THEN)
  const store = new SceneStore()
  const record = aTask()
  store.tasks.set(record.id, record)
  return {
    clock,
    store,
    record,
    all: new Conversations({ store: store.connect().store, clock, model: new SceneModel() }, LOGS),
  }
}

test('[D13] a store that is away is asked again until it gives the journal', async () => {
  const { clock, store, record, all } = some()
  store.fault = () => 'rejects'
  const asked = all.of(record.id)
  await clock.advance(STORE_RETRY_MS * 3)
  store.fault = () => null
  await clock.advance(STORE_RETRY_MS)
  assert.is((await asked).messages.length, 1)
  assert.is(all.of(record.id), await asked)
})

test('a conversation is forgotten with its task, also one that is just being read', async () => {
  const { record, all } = some()
  const asked = all.of(record.id)
  all.forget(record.id)
  await asked
  await settled()
  assert.not.equal(all.of(record.id), await asked)
  assert.instance(all.of(record.id), Promise)
})

test('[D4] what is appended while the log is read is in the conversation once', async () => {
  const { clock, store, record } = some()
  const entry = { n: 1, kind: 'message.received' as const, at: THEN, public: { text: 'Green, please.' } }
  let reads = 0
  const log = async () => {
    if (++reads > 1) return [entry]
    // Read before it was appended.
    assert.is(all.joinedBy(record.id), null)
    return []
  }
  const ports = { store: { ...store.connect().store, log }, clock, model: new SceneModel() }
  const all: Conversations = new Conversations(ports, LOGS)
  const { entries } = await all.of(record.id)
  assert.equal([entries.length, reads], [1, 2])
  assert.is(all.joinedBy(record.id), await all.of(record.id))
})

test('a task without a record has no conversation', async () => {
  const { all } = some()
  const failed = await Promise.resolve(all.of('nobody')).catch((error: Error) => error.message)
  assert.is(failed, 'Task nobody has no record')
})

test.run()
