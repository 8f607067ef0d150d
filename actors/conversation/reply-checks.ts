import { domainRefusal } from '../../machines/domains.ts'
import {
  CALLS_PER_REPLY_MAX,
  TOOL_INPUT_BYTES_MAX,
  TOOL_INPUT_DEPTH_MAX,
  TOOL_NAME_CHARS_MAX,
  WRITTEN_FILE_BYTES_MAX,
} from '../../machines/limits.ts'
import { hasSignIn, signedOutIn } from '../../machines/profiles.ts'
import type { JournalCall } from '../../machines/records.ts'
import { secretRefusal } from '../../machines/secrets.ts'
import { isFileWrite } from '../../machines/served-calls.ts'
import { inputTooDeep, inputTooLarge } from '../../machines/texts.ts'
import type { CheckedOutput, ModelReply, OutputSchema, Ports } from '../runtime/ports.ts'
import type { Conversation } from './conversation.ts'

type Replied = Extract<ModelReply, { kind: 'reply' }>

/** [L32] What is wrong with the output of each call of a reply that has one: outputs are checked beside the event loop. */
export const checkedOutputs = (
  { tools }: Pick<Ports, 'tools'>,
  { calls }: Replied,
  taskId: string,
  schema: OutputSchema,
): Promise<CheckedOutput[]> =>
  Promise.all(
    calls.slice(0, CALLS_PER_REPLY_MAX).map(async ({ tool, input }) => {
      const { output = null } = (input ?? {}) as { readonly output?: unknown }
      const isChecked = tool === 'finish' && output !== null && boundOf(input) === null
      return { misfit: isChecked ? await tools.misfit(taskId, schema, output) : null }
    }),
  )

/** [L29] Looked at before anything serialises an input, which is then not kept. [U11] That of a file has room for it. */
function boundOf(input: unknown, tool?: string) {
  if (isDeeperThan(input, TOOL_INPUT_DEPTH_MAX)) return inputTooDeep
  const isFile = tool === 'files' && isFileWrite({ tool, input: (input ?? {}) as Readonly<Record<string, unknown>> })
  const bytesMax = TOOL_INPUT_BYTES_MAX + (isFile ? WRITTEN_INPUT_BYTES_MAX : 0)
  return Buffer.byteLength(JSON.stringify(input) ?? '') > bytesMax ? inputTooLarge : null
}
/** As JSON a line break takes two bytes, and a text may have many. */
const WRITTEN_INPUT_BYTES_MAX = 2 * WRITTEN_FILE_BYTES_MAX

/** The calls of a reply with the request ids that they will have whatever happens, and why those that are wrong are not sent. */
export const checkedCalls = (
  { ids, tools }: Pick<Ports, 'ids' | 'tools'>,
  reply: Pick<Replied, 'calls'>,
  conversation: Pick<Conversation, 'allowedDomains' | 'asksUser' | 'profile' | 'secrets'>,
  outputs: readonly CheckedOutput[] | null,
): JournalCall[] =>
  reply.calls.slice(0, CALLS_PER_REPLY_MAX).map(({ tool: named, input }, at) => {
    // No tool has a longer name: what a model makes up is kept and shown.
    const tool = named.slice(0, TOOL_NAME_CHARS_MAX)
    const requestId = ids.uuid()
    const outOfBounds = boundOf(input, tool)
    if (outOfBounds) return { requestId, tool, input: {}, refusal: outOfBounds.message }
    const checked = tools.check(tool, input, outputs?.[at], conversation.asksUser)
    if (checked.ok) {
      const refusal = refusalOf(tool, checked.input, conversation)
      if (refusal !== null) return { requestId, tool, input: checked.input, refusal }
      const signedOut = tool === 'finish' && hasSignIn(conversation) ? signedOutIn(input) : {}
      return { requestId, tool, input: { ...checked.input, ...signedOut }, refusal: null, ...intentIn(input) }
    }
    const { message: refusal, misfit } = checked
    return { requestId, tool, input: asObject(input), refusal, ...(misfit ? { misfit } : {}) }
  })

/** [I6] What the model says of the call. Only `irreversible` counts: it can raise what a browser judges, never lower it. */
const intentIn = (input: unknown): Pick<JournalCall, 'intent'> =>
  (input as { intent?: unknown } | null)?.intent === 'irreversible' ? { intent: 'irreversible' } : {}

/** [X3, F2] Why a valid call is not sent, be it a model's, a script's or a recipe's. */
export const refusalOf = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
  { secrets, allowedDomains }: Pick<Conversation, 'allowedDomains' | 'secrets'>,
): string | null => secretRefusal(tool, input, secrets) ?? domainRefusal(input, allowedDomains)

const asObject = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : { value: input }

/**
 * Whether a JSON value is nested deeper than `levels`. Visits each value once, without recursion: a value that is nested
 * thousands of levels deep would overflow the stack.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    const next: unknown[] = []
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue
      for (const inner of Object.values(each)) if (typeof inner === 'object' && inner !== null) next.push(inner)
    }
    level = next
  }
  return false
}
