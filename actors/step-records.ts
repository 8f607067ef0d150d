import type { StepRecord } from '../machines/records.ts'
import type { LogEntry } from '../machines/task-log.ts'
import { outputIn } from './events/task-events.ts'

/**
 * [T38, T40] The step records of a log: `thinking`, then per call `tool_use`, `tool_output` unless it is empty, `screenshot`
 * and `tool_result`; `complete` last.
 */
export const stepsOf = (log: readonly LogEntry[]): StepRecord[] => log.flatMap(recordsOf)

function recordsOf(entry: LogEntry): StepRecord[] {
  const { kind, at: createdAt } = entry
  const none = { toolName: null, toolInput: null, output: null, screenshot: null, durationMs: null, createdAt }
  if (kind === 'model.replied') {
    const { step, text } = entry.public
    const { promptVersion } = entry.private ?? {}
    const prompt = promptVersion === undefined ? {} : { promptVersion }
    return [{ ...none, step, status: 'thinking', output: text === '' ? null : text, ...prompt }]
  }
  if (kind === 'tool.called') {
    const { step, tool: toolName, call_id: callId, input: toolInput } = entry.public
    return [{ ...none, step, status: 'tool_use', toolName, callId, toolInput }]
  }
  if (kind === 'tool.result' && entry.private) {
    const { step, tool: toolName, call_id: callId, error, duration_ms: durationMs } = entry.public
    const { text, screenshot, output = outputIn(text, error !== undefined) } = entry.private
    const ofCall = { ...none, step, toolName, callId, durationMs }
    return [
      ...(output === '' ? [] : [{ ...ofCall, status: 'tool_output' as const, output }]),
      ...(screenshot === null ? [] : [{ ...ofCall, status: 'screenshot' as const, screenshot }]),
      { ...ofCall, status: 'tool_result', output: error === undefined ? null : text },
    ]
  }
  if (kind === 'task.ended' && entry.public.status === 'complete')
    return [{ ...none, step: entry.private?.steps ?? 0, status: 'complete', output: entry.public.answer }]
  return []
}
