import { BrowserTaskError, type BrowserTasks, type Task } from '../../client/index.ts'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
} from './protocol.ts'

/** The context of a call, as far as a question to its user needs it. */
export interface AskingContext {
  readonly mcpReq: {
    readonly envelope?: Readonly<Record<string, unknown>>
    readonly inputResponses?: Record<string, unknown>
    requestState<State>(): State | undefined
  }
}

/** Whether the client of this call can put a question to its user. */
function canElicit({ server }: McpServer, { mcpReq }: AskingContext): boolean {
  const declared = mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
  return (declared as { readonly elicitation?: object } | undefined)?.elicitation !== undefined
}

/**
 * [Y15] What a task asks, put to the user of a client that can do so; `null`: it cannot, or the task asks nothing. The
 * state that comes back with the answer names the task alone, which is read with the caller's own key.
 */
export function questionTo(server: McpServer, context: AskingContext, task: Task): InputRequiredResult | null {
  const { input_request: request, id: requestState } = task
  if (task.state !== 'waitingForInput' || !request || !canElicit(server, context)) return null
  const { kind, message } = request
  const requestedSchema =
    kind === 'question' ? questionSchema(request.schema) : approvalSchema(request.call?.held != null)
  return inputRequired({
    inputRequests: { [request.id]: inputRequired.elicit({ message, requestedSchema }) },
    requestState,
  })
}

type Schema = Extract<Parameters<typeof inputRequired.elicit>[0]['requestedSchema'], { type: 'object' }>

function questionSchema(schema: Readonly<Record<string, unknown>> | null): Schema {
  const options = Array.isArray(schema?.enum) ? { enum: schema.enum.map(String) } : {}
  return {
    type: 'object',
    properties: { answer: { type: 'string', title: 'Answer', ...options } },
    required: ['answer'],
  }
}

/** Accepting the form is the approval; one of what a browser holds may be for all that is alike. */
const approvalSchema = (isHeld: boolean): Schema => ({
  type: 'object',
  properties: isHeld
    ? {
        for_task: {
          type: 'boolean',
          title: 'Also approve all requests that are alike until the task ends',
          default: false,
        },
      }
    : {},
})

/** The task of a call that comes again with the answers of its user, which are passed on; `null`: it comes for the first time. */
export async function answeredTask(
  { tasks }: Pick<BrowserTasks, 'tasks'>,
  { mcpReq }: AskingContext,
): Promise<string | null> {
  const taskId = mcpReq.requestState<string>()
  if (typeof taskId !== 'string') return null
  for (const requestId of Object.keys(mcpReq.inputResponses ?? {})) {
    const given = inputResponse(mcpReq.inputResponses, requestId)
    if (given.kind !== 'elicit') continue
    const { answer, for_task } = given.content ?? {}
    const isAccepted = given.action === 'accept'
    await tasks
      .answer(taskId, requestId, {
        action: given.action,
        ...(isAccepted && typeof answer === 'string' ? { content: answer } : {}),
        ...(isAccepted && for_task === true ? { for: 'task' } : {}),
      })
      .catch((error: unknown) => {
        // Somebody else has answered, or its time is over.
        if (!(error instanceof BrowserTaskError && (error.status === 404 || error.status === 409))) throw error
      })
  }
  return taskId
}
