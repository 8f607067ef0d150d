import { callMachine } from '../machines/call.ts'
import type { World } from './world.ts'

/** A pending tool call alive: its frame leaves through the outbox. [R] A frame to a closed socket is dropped; the session hears of the close. */
export const callActor = (world: World) =>
  callMachine.provide({
    actions: {
      sendFrame: (_, { requestId, sessionId, taskId, tool, input }) => {
        world.ports.outbox.send(sessionId, {
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
