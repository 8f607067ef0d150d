import type { Spent } from '../machines/agent-loop.ts'
import type { CallResult, JournalCall } from '../machines/records.ts'
import { EXTRACT, NOTE, SCRIPT } from '../machines/served-calls.ts'
import type { TaskContext } from '../machines/task-types.ts'
import type { Conversation } from './conversation/conversation.ts'
import { nextOfExtract } from './extract.ts'
import { noteDown } from './note.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { nextOfScript } from './script.ts'
import { writeFile } from './written-files.ts'

/** [L41] A call that the service carries out, and the settled calls that it has asked for. */
export interface Served {
  readonly context: TaskContext
  readonly call: JournalCall
  readonly conversation: Conversation
  readonly nested: ReturnType<Conversation['nestedOf']>
  /** Aborts when the call is not waited for any more. */
  readonly signal: AbortSignal
}

/** How such a call goes on: it is settled, or it asks for a call of its own first. */
export type ServedStep = { readonly outcome: CallResult; readonly spent?: Spent } | { readonly call: JournalCall }

const BY_TOOL: Readonly<Record<string, (system: ActorSystem, served: Served) => Promise<ServedStep>>> = {
  [SCRIPT]: nextOfScript,
  [EXTRACT]: nextOfExtract,
  [NOTE]: noteDown,
  files: writeFile,
}

/** The next step of the current call, as an event of its task. */
export async function servedCall(system: ActorSystem, served: Served) {
  const { requestId, tool } = served.call
  const step = await BY_TOOL[tool]?.(system, served)
  if (!step) throw new Error(`The service does not carry out ${tool}`)
  const at = system.ports.clock.now()
  return 'call' in step
    ? { type: 'call.nested', requestId, call: step.call, at }
    : { type: 'call.settled', requestId, ...step, at }
}
