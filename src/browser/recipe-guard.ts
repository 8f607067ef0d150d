import type { ActReport, Expectation, Guard, Target, Terms } from '../../machines/recipe.ts'
import { hasOneOf, hasShape } from '../../machines/recipe-shape.ts'
import { formShape, termsDiffer } from '../../machines/recipe-terms.ts'
import { URL_CHARS_MAX } from '../wire/limits.ts'
import { ToolError } from './act/cdp.ts'
import { elementOf, hitAt } from './act/element.ts'
import type { Done } from './act/execute.ts'
import { focusedFrame } from './act/input/focused.ts'
import { type Call, type FrameObject, onElement } from './act/page.ts'
import { pointOf } from './act/screenshot.ts'
import { findTarget, targetOf } from './act/target.ts'
import { TOOLS } from './act/tools.ts'
import { readTree } from './act/tree/read.ts'
import { pause, unlessAborted } from './act/waiting.ts'
import type { Workplace } from './act/workplace.ts'
import { FOCUSED, formGet } from './holds/script.ts'
import { namesAct } from './holds/words.ts'

/** [J2, J7] Acts of tasks that make or play recipes. */

type Input = Record<string, unknown>

/** What is read of the page before an act takes this long at most; a page that is busy says nothing. */
const READ_MS_MAX = 3_000
const EXPECT_LOOK_MS = 200
const PAGE_CHARS_MAX = 400_000
const TERM_LINES_MAX = 200
const TERM_CHARS_MAX = 300
const NO_ACTS = new Set(['wait', 'scroll', 'scroll_to', 'mouse_move', 'screenshot', 'zoom', 'list', 'read'])
const FIELDS = /^(textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton|listbox)$/

/**
 * Carries out a call as `run` does, and tells what was acted on. Of a recipe's call the target is found first, and terms that
 * differ end it before anything is done; afterwards it waits for what is expected.
 */
export async function executeGuarded(
  work: Workplace,
  tool: string,
  given: Input,
  guard: Guard,
  signal: AbortSignal,
  run: (input: Input) => Promise<Done>,
): Promise<Done> {
  const isPlayed = guard.waitMs !== undefined
  const input = isPlayed ? await withRefs(work, given, guard, signal) : given
  const report = await reportOf(work, tool, input, signal)
  if (isPlayed) checkTerms(guard, report)
  const done = await run(input)
  if (done.held) return { ...done, act: report }
  const missed = guard.expect ? await missedOf(work, guard.expect, guard.waitMs ?? 0, signal) : null
  return { ...done, act: { ...report, ...(missed === null ? {} : { missed }) } }
}

/** After what was held was let go: what its act is known by, and whether what it leads to is there. */
export async function reportReleased(
  work: Workplace,
  done: Done,
  { act, guard }: { readonly act: ActReport; readonly guard: Guard },
  signal: AbortSignal,
): Promise<Done> {
  const missed = guard.expect && !done.held ? await missedOf(work, guard.expect, guard.waitMs ?? 0, signal) : null
  return { ...done, act: { ...act, ...(missed === null ? {} : { missed }) } }
}

/** [J3] The input with references of the elements that its targets mean. */
async function withRefs(
  work: Workplace,
  { target, to_target: to, ...input }: Input,
  guard: Guard,
  signal: AbortSignal,
) {
  const waitMs = guard.waitMs ?? 0
  const find = async (wanted: unknown): Promise<string> => {
    const call = callOn(work, signal, waitMs + READ_MS_MAX)
    const found = findTarget(call, wanted as Target, waitMs, guard.terms !== undefined)
    return found.catch((error) => {
      if (signal.aborted || error instanceof ToolError) throw error
      throw new ToolError('The page could not be read, so nothing was done.')
    })
  }
  return {
    ...input,
    ...(target ? { ref: await find(target) } : {}),
    ...(to ? { to_ref: await find(to) } : {}),
  }
}

const callOn = (work: Workplace, signal: AbortSignal, ms: number): Call =>
  work.current.page.call(AbortSignal.any([signal, AbortSignal.timeout(ms)]), work, ms)

/** What the call acts on; of what only looks, and behind a dialog, nothing. */
async function reportOf(work: Workplace, tool: string, input: Input, signal: AbortSignal): Promise<ActReport> {
  const acts = TOOLS.get(tool)?.acts(input) && !NO_ACTS.has(String(input.action))
  if (!acts || work.tabs.length === 0 || work.current.page.dialogs.open) return {}
  const call = callOn(work, signal, READ_MS_MAX)
  try {
    return await unlessAborted(describe(call, tool, input), call.signal)
  } catch {
    if (signal.aborted) throw signal.reason
    return {}
  }
}

async function describe(call: Call, tool: string, input: Input): Promise<ActReport> {
  const object = await actedOn(call, tool, input)
  if (!object) return {}
  const target = await targetOf(call, object)
  if (!target) return {}
  const end = typeof input.to_ref === 'string' ? await targetOf(call, await elementOf(call, input.to_ref)) : null
  const terms = isFinal(input, target, await formOf(call, object)) ? await termsOf(call, object) : undefined
  // What cannot be compared the next time is not done without a model.
  if (terms === null) return {}
  return { target, ...(end ? { toTarget: end } : {}), ...(terms ? { terms } : {}) }
}

async function actedOn(
  call: Call,
  tool: string,
  { ref, coordinate, start_coordinate: start, action }: Input,
): Promise<FrameObject | null> {
  if (typeof ref === 'string') return elementOf(call, ref)
  const point = start ?? coordinate
  if (Array.isArray(point)) return hitAt(call, await pointOf(call, point as number[], true))
  if (tool !== 'computer' || (action !== 'type' && action !== 'key')) return null
  const frame = await focusedFrame(call)
  const { result } = await call.page.frames.inWorld(call, frame, ({ contextId }) =>
    call.sendTo(frame.session, 'Runtime.evaluate', { expression: FOCUSED, contextId }),
  )
  return result.objectId === undefined ? null : { frame, objectId: result.objectId }
}

interface Form {
  readonly action: string
  readonly method: string
  readonly submits: readonly string[]
  readonly fields: Terms['fields']
  readonly pays: boolean
}

const formOf = (call: Call, object: FrameObject): Promise<Form | null> =>
  onElement<Form | null>(call, object, FORM_OF).catch((error) => {
    if (call.signal.aborted) throw error
    return null
  })

const LEADS_THERE = /check\s?out|proceed|orders?\b/gi
const CHOICE = /accept|agree|confirm\w*|reject|deny|submit|subscribe|cancel|bestätig\w*|abonnier\w*|valider?/gi

/** [J8] Whether an act is named like one that cannot be undone, or sends a form that pays. */
function isFinal({ action, text, intent }: Input, { role, name, overlay }: Target, form: Form | null): boolean {
  const isKey = action === 'key'
  if (isKey && !/enter|return|space/i.test(String(text))) return false
  if (!isKey && (!/click$/.test(String(action)) || FIELDS.test(role))) return false
  if (intent === 'irreversible' || form?.pays) return true
  const names = isKey ? [...(form?.submits ?? []), ...(FIELDS.test(role) ? [] : [name])] : [name]
  // A link to where something is ordered orders nothing, nor does what closes a banner.
  const other = overlay ? CHOICE : role === 'link' ? LEADS_THERE : null
  const label = (each: string) => (other ? each.replaceAll(other, '') : each)
  return names.some((each) => namesAct(label(each)))
}

/** `null`: there is too much on the page to be compared. */
async function termsOf(call: Call, object: FrameObject): Promise<Terms | null> {
  const form = await formOf(call, object)
  const { lines } = await readTree(call, { maxChars: PAGE_CHARS_MAX, asIs: true })
  const numbered = lines.map(({ text }) => lineOf(text)).filter((line) => /\p{N}/u.test(line))
  if (numbered.length > TERM_LINES_MAX || numbered.some(({ length }) => length > TERM_CHARS_MAX * 4)) return null
  return {
    form: form && formShape(form.method, form.action).slice(0, URL_CHARS_MAX),
    fields: form?.fields ?? [],
    lines: numbered.map((line) => line.slice(0, TERM_CHARS_MAX)),
  }
}

/** Without what is another one each time: references, focus, scrolling, times of day. */
const lineOf = (text: string): string =>
  text
    .replaceAll(/ \[(?:f\d+)?e\d+\]/g, '')
    .replaceAll(/ (?:focused|scrolled \d+ of \d+ px(?: across)?)(?= |$)/g, '')
    .replaceAll(/(?<!\p{N})\p{N}{1,2}:\p{N}{2}(?::\p{N}{2})?(?!\p{N})/gu, '')

function checkTerms({ terms: expected, optional }: Guard, report: ActReport): void {
  const { target, terms } = report
  const refused = expected
    ? terms
      ? termsDiffer({ ...expected, terms: expected.terms }, terms)
      : 'what it would do cannot be read'
    : terms && target && !optional
      ? `${target.role} ${JSON.stringify(target.name)} is named like an act that cannot be undone, and was not`
      : null
  if (refused !== null)
    throw new ToolError('The terms are not those of the recipe, so nothing was done.', refused, { ...report, refused })
}

/** What is still missing of what is expected after so many milliseconds; `null`: nothing. */
async function missedOf(
  work: Workplace,
  expected: Expectation,
  waitMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  const until = performance.now() + waitMs
  let shown = work.tabs.length > 0 ? (work.current.page.shown?.tree ?? null) : null
  for (;;) {
    // A dialog holds the page: the next step answers it.
    if (work.tabs.length === 0 || work.current.page.dialogs.open) return null
    const missed =
      shown &&
      wrongWith(
        expected,
        shown.url,
        shown.lines.map(({ text }) => text),
      )
    if (shown && missed === null) return null
    if (performance.now() >= until) return missed ?? 'a page that does not answer'
    await pause(EXPECT_LOOK_MS, signal)
    if (signal.aborted) throw signal.reason
    shown = await readTree(callOn(work, signal, READ_MS_MAX), { maxChars: PAGE_CHARS_MAX, asIs: true }).catch(
      (error) => {
        if (signal.aborted) throw error
        return null
      },
    )
  }
}

function wrongWith({ url, lines }: Expectation, address: string, shown: readonly string[]): string | null {
  if (url !== null && !hasShape(url, address)) return `the page ${address}`
  return hasOneOf(lines, shown) ? null : 'none of the lines that were expected'
}

/** The form that an element belongs to, read in our own world at the moment of the act. A text and no function. */
const FORM_OF = `function () {
  const element = this.nodeType === 1 ? this : this.parentElement
  const control = element && element.localName === 'label' && element.control ? element.control : element
  const form = control && (control.form || control.closest('form'))
  if (!form) return null
  const short = (text) => String(text || '').trim().replace(/\\s+/g, ' ').slice(0, 200)
  const isSubmit = (each) => each.matches('button:not([type=button]):not([type=reset]), input[type=submit], input[type=image]')
  const elements = [...${formGet('elements')}].slice(0, 100)
  const fields = []
  let pays = false
  for (const each of elements) {
    if (/^cc-/.test(each.autocomplete || '') || /card.?num|cardnumber|cvc|cvv|iban/i.test(each.name || '')) pays = true
    if (!each.name || each.matches('button, fieldset, output, object, input[type=submit], input[type=button], input[type=reset], input[type=image]')) continue
    if ((each.type === 'checkbox' || each.type === 'radio') && !each.checked) continue
    const value = each.type === 'password' && each.value ? '••••' : short(each.value)
    fields.push({ name: short(each.name), value, ...(each.type === 'hidden' ? { hidden: true } : {}) })
  }
  const submitter = control.getAttribute('formaction') ? control.formAction : ''
  return {
    action: String(submitter || ${formGet('action')}), method: String(control.formMethod || ${formGet('method')}), fields, pays,
    submits: elements.filter(isSubmit).map((each) => short(each.innerText || each.value)),
  }
}`
