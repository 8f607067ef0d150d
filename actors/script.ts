import { isHarmless } from '../machines/approval.ts'
import { SCRIPT_CALLS_MAX, SCRIPT_MS_DEFAULT, SECOND_MS } from '../machines/limits.ts'
import type { CallResult } from '../machines/records.ts'
import { isFileWrite } from '../machines/served-calls.ts'
import { TO_MODEL } from '../machines/texts.ts'
import { pageContentIn, saidIn, withoutMarks } from './conversation/page-content.ts'
import { checkedCalls } from './conversation/reply-checks.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import type { ScriptAnswer, ScriptStep } from './runtime/ports.ts'
import { redactedWords } from './secrets.ts'
import type { Served, ServedStep } from './served-calls.ts'

const WORDS = TO_MODEL.script
type ScriptCall = Extract<ScriptStep, { kind: 'call' }>

/**
 * [L41, L42] The next call of a script, or its end. Its calls are checked and carried out as if the model had asked for
 * each. The time that they take counts against the script's; waiting for its user or for a restart does not.
 */
export async function nextOfScript(system: ActorSystem, served: Served): Promise<ServedStep> {
  const { context, call, conversation, nested } = served
  const { ports } = system
  const { code, timeout_s = SCRIPT_MS_DEFAULT / SECOND_MS } = call.input as { code: string; timeout_s?: number }
  if (context.halted !== null && nested.length === 0) {
    return { outcome: { status: 'skipped', message: TO_MODEL.notRun[context.halted] } }
  }
  if (!ports.scripts) return { outcome: failed(WORDS.unavailable, '') }
  const { taskId, workspaceId } = context
  const run = { id: call.requestId, taskId, workspaceId, code, answers: nested.map(answerOf) }
  // [X6] It may have worked out a secret from what a page shows in a form of its own.
  const step = redactedWords(system, taskId, conversation, await ports.scripts.next(run))
  const why = step.kind === 'call' ? reasonToStop(served, timeout_s, step) : null
  if (step.kind === 'call' && why === null) {
    const [asked] = checkedCalls(ports, { calls: [step] }, conversation, null)
    if (asked) return { call: { ...asked, parent: call.requestId } }
  }
  ports.scripts.forget(taskId)
  return { outcome: outcomeOf(step, why, nested) }
}

const answerOf = ({ call: { tool, input }, result: { failed, text } }: Served['nested'][number]): ScriptAnswer => ({
  tool,
  action: input.action ?? null,
  failed,
  said: failed ? withoutMarks(text).replace(/^Error: /, '') : saidIn(text),
  content: failed ? '' : withoutMarks(pageContentIn(text)),
})

/** What the verbs of a script become: it has no other way to a browser. */
const TOOLS: ReadonlySet<string> = new Set([
  ...['computer', 'form_input', 'navigate', 'read_page', 'find', 'get_page_text', 'tabs', 'dialog', 'note'],
])

const isVerb = ({ tool, input }: ScriptCall): boolean =>
  TOOLS.has(tool) || isFileWrite({ tool, input: (input ?? {}) as Readonly<Record<string, unknown>> })

function reasonToStop({ context: { halted }, nested }: Served, seconds: number, asked: ScriptCall): string | null {
  if (!isVerb(asked)) return WORDS.noSuchTool
  if (halted !== null) return WORDS.halted[halted]
  if (nested.length >= SCRIPT_CALLS_MAX) return WORDS.tooMany
  const usedMs = nested.reduce((sum, { result }) => sum + result.durationMs, 0)
  return usedMs >= seconds * SECOND_MS ? WORDS.outOfTime(seconds) : null
}

/** What the model reads of a script that is over. Whatever comes from it is data, as if a page had said it. */
function outcomeOf(step: ScriptStep, why: string | null, nested: Served['nested']): CallResult {
  const { line } = step
  const log = step.log === '' ? [] : [WORDS.log(step.log)]
  if (step.kind !== 'returned') {
    const said = why === null ? WORDS.failed(line, nested.length) : WORDS.stopped(why, line, nested.length)
    return failed(said, [...(step.kind === 'failed' ? [step.message] : []), ...log].join('\n\n'))
  }
  const content = [step.value, ...log].join('\n\n')
  const acted = nested.some(({ call }) => !isHarmless(call))
  return {
    status: 'done',
    said: WORDS.ended(nested.length, content !== ''),
    content,
    output: content,
    screenshot: null,
    // The calls after it were meant for the page before it.
    ...(acted ? { halts: 'navigation' } : {}),
  }
}

const failed = (message: string, content: string): CallResult => ({
  status: 'failed',
  category: 'internal',
  message,
  ...(content === '' ? {} : { content }),
})
