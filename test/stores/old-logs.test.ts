import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stepsOf } from '../../actors/step-records.ts'
import { journalOf } from '../../machines/journal.ts'
import { eventsIn } from '../../machines/task-log.ts'
import { logOfOld } from '../../src/stores/old-logs.ts'
import { STORIES } from '../support/scene/stories.ts'

const test = suite('logs of earlier versions')

/** What earlier versions would have kept of a task, in three tables. */
async function oldParts(story: (typeof STORIES)[string]) {
  const { scene, id } = await story(null)
  const records = scene.store.logs.get(id) ?? []
  const log = records.flatMap(({ entries }) => entries)
  const steps = stepsOf(log).map((step, seq) => ({ taskId: id, seq, ...step }))
  const events = records.flatMap(eventsIn).map(({ position, event }) => ({ position, record: event }))
  return { task: scene.record(id), log, journal: journalOf(log), steps, events }
}

for (const [name, story] of Object.entries(STORIES))
  test(`[O10] the log of a task that ${name} is made of what earlier versions kept of it`, async () => {
    const { task, log, events, ...parts } = await oldParts(story)
    const made = logOfOld(task, { events, ...parts })
    const entries = made.flatMap((record) => record.entries)
    // How many steps a task had is known of one that completed.
    const known = log.map((entry) =>
      entry.kind === 'task.ended' && entry.public.status === 'error' ? { ...entry, private: undefined } : entry,
    )
    assert.equal(JSON.parse(JSON.stringify(entries)), JSON.parse(JSON.stringify(known)))
    assert.equal(
      made.flatMap(eventsIn).map(({ position, event }) => ({ position, record: event })),
      events,
    )
  })

for (const [name, story] of Object.entries(STORIES))
  test(`[O13 P31] without its events, a task that ${name} has its conversation and its steps`, async () => {
    const { task, journal, steps } = await oldParts(story)
    const made = logOfOld(task, { journal, steps, events: [] })
    const entries = made.flatMap((record) => record.entries)
    assert.equal(journalOf(entries), journal)
    assert.equal(
      stepsOf(entries).map((step, seq) => ({ taskId: task.id, seq, ...step })),
      steps,
    )
    assert.equal(made.flatMap(eventsIn), [])
    assert.ok(entries.every(({ n }) => n < 1))
  })

test('[O10] events that came after the first ones of a task were gone keep their numbers', async () => {
  const { task, log, journal, steps, events } = await oldParts(Object.values(STORIES)[0] as (typeof STORIES)[string])
  const left = events.slice(9)
  const made = logOfOld(task, { journal, steps, events: left })
  const entries = made.flatMap((record) => record.entries)
  assert.equal(
    entries.map(({ n }) => n),
    entries.map((_, index) => (entries[0]?.n ?? 0) + index),
  )
  assert.equal(journalOf(entries), journalOf(log))
  assert.equal(stepsOf(entries), stepsOf(log))
  assert.equal(made.flatMap(eventsIn).length, left.length)
})

test('[O10] what a running task did not come to, since a part of a commit was kept, is not in its log', async () => {
  const { task, journal, steps, events } = await oldParts(Object.values(STORIES)[0] as (typeof STORIES)[string])
  const [reply] = journal
  const kept = { journal: reply ? [reply] : [], steps: steps.slice(0, 1), events: events.slice(0, 7) }
  const kinds = (status: 'running' | 'complete') =>
    logOfOld({ ...task, status }, kept).flatMap(({ entries }) => entries.map(({ kind }) => kind))
  assert.equal(kinds('complete').at(-1), 'tool.result')
  assert.equal(kinds('running').slice(-2), ['tool.called', 'task.state'])
})

test.run()
