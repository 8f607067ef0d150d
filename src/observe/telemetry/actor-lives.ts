import type { AnyMachineSnapshot } from 'xstate'
import type { Inspection, Viewer } from '../../../actors/inspection/inspection.ts'
import { parseAddress } from '../../../machines/addresses.ts'
import { LIVES_MAX } from './limits.ts'
import type { Tracer } from './sdk.ts'
import type { TaskTraces } from './task-traces.ts'

interface Life {
  readonly begunAt: number
  readonly taskId: string | null
  state: string
  transitions: number
}

/**
 * [O7] While somebody watches the actors (the inspector), each one that ends has a span from when it was first seen to its
 * end, under its task if it works on one. A task has its own span.
 */
export function followLives(inspection: Inspection, tracer: Tracer, traces: TaskTraces): void {
  const lives = new Map<string, Life>()
  const moved: Viewer['moved'] = (address, _event, snapshot) => {
    const life = lives.get(address)
    if (life) {
      life.transitions++
      life.state = stateOf(snapshot)
    } else if (inspection.watchers > 0 && lives.size < LIVES_MAX && parseAddress(address).actorKind !== 'task') {
      lives.set(address, {
        begunAt: Date.now(),
        taskId: taskIdOf(snapshot),
        state: stateOf(snapshot),
        transitions: 1,
      })
    }
  }
  const gone = (address: string) => {
    const life = lives.get(address)
    if (!lives.delete(address) || !life) return
    const { begunAt, taskId, state, transitions } = life
    const kind = address.slice(0, address.indexOf(':'))
    const attributes = {
      'browser_task.actor.address': address,
      'browser_task.actor.state': state,
      'browser_task.actor.transitions': transitions,
    }
    const parent = taskId === null ? null : (traces.known(taskId)?.context ?? null)
    tracer.start({ name: `actor ${kind}`, at: begunAt, parent, attributes }).end()
  }
  inspection.follow({ moved, gone })
}

const stateOf = ({ value }: AnyMachineSnapshot): string => (typeof value === 'string' ? value : JSON.stringify(value))

function taskIdOf({ context }: AnyMachineSnapshot): string | null {
  const { taskId } = context as { readonly taskId?: unknown }
  return typeof taskId === 'string' ? taskId : null
}
