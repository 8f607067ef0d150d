import { callAddress } from '../machines/addresses.ts'
import { callMachine } from '../machines/call.ts'
import { CONFINES } from '../machines/domains.ts'
import { cannotConfine } from '../machines/failures.ts'
import type { ToolCall } from '../machines/records.ts'
import type { ActorSystem } from './runtime/actor-system.ts'

/** A pending tool call alive: its frame leaves through the outbox. [R] A frame to a closed socket is dropped; the session learns of the close. */
export const callActor = (system: ActorSystem) =>
  callMachine.provide({
    actions: {
      sendFrame: (_, call) => {
        const conversation = system.conversations.of(call.taskId)
        if (!(conversation instanceof Promise)) return send(system, call, conversation.allowedDomains)
        conversation.then(
          ({ allowedDomains }) => send(system, call, allowedDomains),
          // The task is gone.
          () => {},
        )
      },
    },
  })

/** [F3] A browser that does not know how to keep a task within its domains is asked for nothing. */
function send(
  system: ActorSystem,
  { requestId, sessionId, taskId, tool, input }: ToolCall,
  allowedDomains: readonly string[] | null,
): void {
  if (allowedDomains && !system.browserTools.get(sessionId)?.includes(CONFINES)) {
    const outcome = { status: 'failed', ...cannotConfine } as const
    system.registry.post(callAddress(requestId), { type: 'call.answered', outcome })
    return
  }
  system.ports.outbox.send(sessionId, {
    type: 'mcp_execute_tool',
    requestId,
    browserSessionId: sessionId,
    taskId,
    tool,
    input,
    ...(allowedDomains ? { allowedDomains } : {}),
  })
}
