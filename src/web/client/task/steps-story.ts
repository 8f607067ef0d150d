import type { Step as StepRecord } from '../../../client/index.ts'
import type { TaskEvent } from '../api.ts'
import { EMPTY, type Story, told } from './story.ts'

/**
 * The story of a task that has ended and whose events are not kept any more, or never were, as its step records tell it:
 * the same, without what happened beside the calls.
 */
export function storyOfSteps(taskId: string, records: readonly StepRecord[]): Story {
  const story = records.flatMap((record, index) => eventsOf(record, records.slice(0, index))).reduce(told, EMPTY)
  return { ...story, seq: records.length, model: null, state: 'closed' }

  function eventsOf(record: StepRecord, before: readonly StepRecord[]): TaskEvent[] {
    const { step, status, created_at: at, call_id: callId, tool_name: tool, duration_ms: durationMs } = record
    const head = { id: '', seq: 0, at, task_id: taskId, step }
    const call = { call_id: callId ?? '', tool: tool ?? '' }
    const isNew = !before.some((earlier) => earlier.step === step)
    const started: TaskEvent[] = isNew && step > 0 ? [{ ...head, type: 'step.started' }] : []
    switch (status) {
      case 'thinking': {
        const usage = { inputTokens: 0, outputTokens: 0, apiCalls: 0 }
        return [...started, { ...head, type: 'model.replied', text: record.output ?? '', model: '', usage }]
      }
      case 'tool_use':
        return [...started, { ...head, ...call, type: 'tool.called', input: record.tool_input ?? {} }]
      case 'tool_result': {
        const ofCall = before.filter((earlier) => earlier.call_id === callId)
        const output = ofCall.find((earlier) => earlier.status === 'tool_output')?.output ?? ''
        const error = record.output === null ? {} : { error: record.output }
        const has_screenshot = ofCall.some((earlier) => earlier.has_screenshot)
        const duration_ms = durationMs ?? 0
        return [{ ...head, ...call, type: 'tool.result', output, ...error, duration_ms, has_screenshot }]
      }
      default:
        return []
    }
  }
}
