import type { Webhook } from '../../../actors/runtime/ports.ts'
import { ACCEPTED } from '../../support/webhook-memory.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Random } from '../random.ts'
import type { Watch } from '../watch.ts'
import type { Life } from './life.ts'

export interface ReceiverOptions {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly watch: Watch
  readonly inTrouble: () => boolean
  /** How likely it takes a message in trouble; 0.6 when left out. */
  readonly accepts?: number
}

/** Where webhooks go: the receiver takes its time, and refuses some. `by` says who calls for a task. */
export const simulatedReceiver =
  ({ scheduler, random, watch, inTrouble, accepts = 0.6 }: ReceiverOptions) =>
  (life: Life, by: (taskId: string) => string = () => `life ${life.number}`): Webhook => ({
    post: (_, body) => {
      watch.webhook(by(String((body as { task?: { id?: string } }).task?.id)), body)
      return new Promise((resolve) => void scheduler.after(random.between(1, 2_000), life, 'webhook', resolve))
    },
    deliver: ({ id }, message) => {
      const accepted = !inTrouble() || random.chance(accepts)
      const durationMs = random.whole(1, 2_000)
      const answer = { ...ACCEPTED, status: accepted ? 200 : random.pick([500, null]), durationMs }
      return new Promise((resolve) => {
        scheduler.after(durationMs, life, 'delivery', () => {
          watch.delivered(id, message.id, accepted)
          resolve(answer)
        })
      })
    },
  })
