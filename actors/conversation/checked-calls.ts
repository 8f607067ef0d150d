import { inputTooDeep, inputTooLarge } from '../../machines/failures.ts'
import { CALLS_PER_REPLY_MAX, TOOL_INPUT_BYTES_MAX, TOOL_INPUT_DEPTH_MAX } from '../../machines/limits.ts'
import type { JournalCall } from '../../machines/records.ts'
import type { ModelReply, OutputSchema, Ports } from '../runtime/ports.ts'
import { isDeeperThan } from './json-depth.ts'

type Replied = Extract<ModelReply, { kind: 'reply' }>

/** The calls of a reply with the request ids that they will have whatever happens, and why those that are wrong are not sent. */
export const checkedCalls = (
  { ids, tools }: Pick<Ports, 'ids' | 'tools'>,
  reply: Replied,
  output: OutputSchema | null,
): JournalCall[] =>
  reply.calls.slice(0, CALLS_PER_REPLY_MAX).map(({ tool, input }) => {
    const requestId = ids.uuid()
    // [L29] Looked at before anything serialises it, and not kept.
    const outOfBounds = isDeeperThan(input, TOOL_INPUT_DEPTH_MAX)
      ? inputTooDeep
      : Buffer.byteLength(JSON.stringify(input) ?? '') > TOOL_INPUT_BYTES_MAX
        ? inputTooLarge
        : null
    if (outOfBounds) return { requestId, tool, input: {}, refusal: outOfBounds.message }
    const checked = tools.check(tool, input, output)
    if (checked.ok) return { requestId, tool, input: checked.input, refusal: null }
    const { message: refusal, misfit } = checked
    return { requestId, tool, input: asObject(input), refusal, ...(misfit ? { misfit } : {}) }
  })

const asObject = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : { value: input }
