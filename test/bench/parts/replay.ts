import { randomUUID } from 'node:crypto'
import type { Store } from '../../../actors/ports.ts'
import type { Written } from './meter.ts'
import { usageOfThis } from './usage.ts'

/**
 * Plays the writes of one task again on a bare store, for so many tasks at a time: each waits for its commits and
 * endings as the service does, and for its step records at the end. What was one task's becomes another's by its id.
 */
export async function replay(
  store: Store,
  written: readonly Written[],
  { tasks, atOnce, steps }: { tasks: number; atOnce: number; steps: number },
): Promise<{ tasksPerS: number; stepsPerS: number; commitsPerS: number; cpuMsPerStep: number }> {
  const taskId = idIn(written)
  const text = JSON.stringify(written)
  const copies = Array.from(
    { length: tasks },
    () => JSON.parse(text.replaceAll(taskId, randomUUID())) as readonly Written[],
  )
  const waitedFor = written.filter(({ call }) => call !== 'append').length
  const worker = async () => {
    for (let copy = copies.pop(); copy; copy = copies.pop()) await playOne(store, copy)
  }
  const before = usageOfThis()
  await Promise.all(Array.from({ length: atOnce }, worker))
  const after = usageOfThis()
  const seconds = (after.wallMs - before.wallMs) / 1_000
  return {
    tasksPerS: tasks / seconds,
    stepsPerS: (tasks * steps) / seconds,
    commitsPerS: (tasks * waitedFor) / seconds,
    cpuMsPerStep: (after.cpuMs - before.cpuMs) / (tasks * steps),
  }
}

async function playOne(store: Store, copy: readonly Written[]): Promise<void> {
  const later: Promise<unknown>[] = []
  for (const { call, args } of copy) {
    if (call === 'commit') await store.commit(...args)
    else if (call === 'end') await store.tasks.end(...args)
    else if (call === 'usage') await store.usage.record(...args)
    else later.push(store.steps.append(...args))
  }
  await Promise.all(later)
}

function idIn(written: readonly Written[]): string {
  for (const { call, args } of written) if (call === 'end') return args[0].taskId
  throw new Error('No ending was recorded')
}
