import { callMachine } from '../machines/call.ts'
import type { ActorSystem } from './runtime/actor-system.ts'

/** A pending tool call alive: its frame leaves through the outbox. [R] A frame to a closed socket is dropped; the session learns of the close. */
export const callActor = (system: ActorSystem) =>
  callMachine.provide({
    actions: {
      sendFrame: (_, { requestId, sessionId, taskId, tool, input }) => {
        system.ports.outbox.send(sessionId, {
          type: 'mcp_execute_tool',
          requestId,
          browserSessionId: sessionId,
          taskId,
          tool,
          input,
        })
      },
    },
  })
