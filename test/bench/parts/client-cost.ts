import type { Message, Model, ToolSpec } from '../../../actors/ports.ts'
import { systemPrompt } from '../../../actors/prompt.ts'
import { MODEL_OUTPUT_TOKENS_MAX } from '../../../machines/limits.ts'
import { OUTPUT, taskOf } from './jobs.ts'
import { usageOfThis } from './usage.ts'

/**
 * What the model's client costs by itself: so many conversations of tasks at a time, grown as the loop grows them, with
 * nothing around. CPU in ms a call.
 */
export async function clientCost(
  model: Model,
  tools: readonly ToolSpec[],
  { tasks, atOnce, steps }: { tasks: number; atOnce: number; steps: number },
): Promise<{ cpuMsPerCall: number; callsPerS: number }> {
  let left = tasks
  let calls = 0
  const talk = async () => {
    const messages: Message[] = [{ role: 'user', text: taskOf('alone', steps) }]
    for (let step = 1; ; step++) {
      const reply = await model.ask(
        { system: systemPrompt(tools), messages, tools, maxTokens: MODEL_OUTPUT_TOKENS_MAX },
        new AbortController().signal,
      )
      if (reply.kind === 'failed') throw new Error(`The model failed: ${reply.message}`)
      calls++
      if (reply.calls.length === 0) return
      const made = reply.calls.map(({ tool, input }, n) => ({ id: `${step}-${n}`, tool, input: input as never }))
      messages.push({ role: 'assistant', text: reply.text, calls: made })
      const results = made.map(({ id, tool }) => ({ id, tool, text: OUTPUT, failed: false, image: null }))
      messages.push({ role: 'tool', results })
    }
  }
  const worker = async () => {
    while (left-- > 0) await talk()
  }
  const before = usageOfThis()
  await Promise.all(Array.from({ length: atOnce }, worker))
  const after = usageOfThis()
  return {
    cpuMsPerCall: (after.cpuMs - before.cpuMs) / calls,
    callsPerS: (calls / (after.wallMs - before.wallMs)) * 1_000,
  }
}
