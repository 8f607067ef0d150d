import type { JournalCall, JournalEntry } from './journal.ts'
import {
  type ActReport,
  CHOICES,
  type Expectation,
  type RecipeStep,
  type Target,
  type Terms,
  type Values,
} from './recipe.ts'
import { linesOf, type OutputPlaces, placesOfOutput, type Readings } from './recipe-answer.ts'
import { addressShape, lineShape } from './recipe-shape.ts'
import { isSaid, placesOf, type Templater, templaterOf } from './recipe-text.ts'

/** What is kept of a task that ended with success. */
export interface Distilled {
  readonly steps: readonly RecipeStep[]
  /** False: from the end of the steps on the model has to work. */
  readonly isWhole: boolean
  /** [J15] Where its output was read; `null`: it has none, or a model has to make it. */
  readonly output: OutputPlaces | null
  /** Inputs that no act depends on. */
  readonly unused: readonly string[]
}

type Result = Extract<JournalEntry, { kind: 'result' }>

/** An act that was carried out, and the page around it. */
interface Act {
  readonly group: number
  readonly call: JournalCall
  readonly report: ActReport
  /** `null`: not known. */
  readonly stateBefore: string | null
  readonly stateAfter: string | null
  readonly urlBefore: string | null
  readonly urlAfter: string | null
  /** What was read of the page before it, and what the page showed afterwards, line by line. */
  readonly linesBefore: readonly string[]
  readonly lines: readonly string[]
  /** How many lines had been read of all pages. */
  readonly readBefore: number
}

/** A reading of a page, after so many acts. */
interface Reading {
  readonly after: number
  readonly group: number
  readonly call: JournalCall
  readonly result: Result
}

const READS_MAX = 10
const LINES_MAX = 3
const LINE_CHARS_MAX = 120
/** Tools of the service itself that change no page. */
const OWN = new Set(['finish', 'note', 'extract', 'script'])
const READERS = new Set(['read_page', 'get_page_text'])
const LOOKS = new Set(['find', 'read_page', 'get_page_text'])
const LOOKING = new Set(['screenshot', 'zoom', 'wait', 'scroll', 'scroll_to', 'mouse_move', 'list', 'read'])
const SELECTING = new Set(['double_click', 'triple_click'])
const DRAGGING = new Set(['left_click_drag', 'left_mouse_down', 'left_mouse_up'])
/** Acts that name nothing on the page. */
const PAGELESS = new Set(['navigate', 'tabs', 'dialog'])
/** What names an element, and what only says how it is looked at. */
const LEFT_OUT = new Set(['ref', 'to_ref', 'coordinate', 'start_coordinate', 'look', 'target', 'to_target'])
/** Of at least three characters; a name of a file or a number with its signs is one. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}._@/-]+[\p{L}\p{N}]/gu
const PAGE = /<page_content>\n([\s\S]*?)\n<\/page_content>/g

/**
 * [J4] The recipe in the log of a task that ended with success: the acts that had an effect, in their order, without looks,
 * waits, failures and detours. It ends early where an act cannot be found again. `task` is what was asked for: what is
 * typed, and is not in it, may come from a page.
 */
export function recipeOf(journal: readonly JournalEntry[], inputs: Values, task = ''): Distilled {
  const results = new Map(journal.flatMap((entry) => (entry.kind === 'result' ? [[entry.requestId, entry]] : [])))
  const acts: Act[] = []
  const readings: Reading[] = []
  let isWhole = true
  let state: string | null = null
  let url: string | null = null
  let shown: string[] = []
  const read: string[] = []
  const calls = journal.flatMap(callsOf).filter(({ tool, requestId }) => !OWN.has(tool) && results.has(requestId))
  for (const [at, call] of calls.entries()) {
    const result = results.get(call.requestId)
    if (!result || !isWhole) break
    const kept = call.guard?.optional && result.failed ? skippedAct(call, result.step, state, url) : null
    if (kept) acts.push(kept)
    if (result.failed) continue
    const before = shown
    const readBefore = read.length
    read.push(...pageIn(result))
    shown = result.url !== undefined && result.url !== url ? pageIn(result) : [...shown, ...pageIn(result)]
    if (READERS.has(call.tool) && call.input.ref === undefined)
      readings.push({ after: acts.length, group: result.step, call, result })
    if (isLook(call)) continue
    const looks = calls.slice(at + 1, firstAfter(calls, at)).flatMap((look) => results.get(look.requestId) ?? [])
    const own = actOf(call, result, result.step, state, url)
    const act = withLater({ ...own, linesBefore: before, readBefore }, looks)
    state = act.stateAfter
    url = act.urlAfter
    if (isWithoutEffect(act)) continue
    isWhole = canBeFound(act)
    if (!isWhole) break
    acts.push(act)
    withoutDetour(acts, readings)
  }
  const templater = templaterOf(inputs)
  const steps = acts.map((act) => stepOf(act, templater, { read, task }))
  const wanted = isWhole ? wantedOf(readings, acts) : []
  const whole = isWhole ? withReadings(steps, acts, wanted) : steps
  const made = outputOf(journal)
  const pages = wanted.map(({ result }) => linesOf(pageIn(result).join('\n')))
  const output = isWhole && made !== null ? placesOfOutput(made, pages, inputs, templater) : null
  const used = placesOf(steps.map((step) => [step.input, actedOn(step.target), actedOn(step.toTarget)]))
  const unused = Object.keys(inputs).filter((name) => !used.includes(name))
  return { steps: whole, isWhole, output, unused }
}

/** What is around an element may show a value by chance. */
const actedOn = ({ heading, landmark, ...own }: Partial<Target> = {}): Partial<Target> => own

/** Those of a script came one after the other, as calls of their own. */
function callsOf(entry: JournalEntry): readonly JournalCall[] {
  if (entry.kind === 'reply') return entry.calls
  return entry.kind === 'nested' ? [{ ...entry, refusal: null }] : []
}

const isLook = ({ tool, input }: JournalCall): boolean =>
  LOOKS.has(tool) || (['computer', 'tabs', 'files'].includes(tool) && LOOKING.has(String(input.action)))

function actOf(
  call: JournalCall,
  result: Result,
  group: number,
  state: string | null,
  url: string | null,
): Omit<Act, 'linesBefore' | 'readBefore'> {
  return {
    group,
    call,
    report: result.act ?? {},
    stateBefore: state,
    stateAfter: result.state ?? null,
    urlBefore: url,
    urlAfter: result.url ?? url,
    lines: pageIn(result),
  }
}

/** Where the next act is. */
function firstAfter(calls: readonly JournalCall[], at: number): number {
  const next = calls.findIndex((call, index) => index > at && !isLook(call))
  return next < 0 ? calls.length : next
}

/** A page may come only after its act was over: what was looked at before the next act is what the act led to. */
function withLater(act: Act, looks: readonly Result[]): Act {
  const later = looks.findLast(({ failed, url = null }) => !failed && url !== null && url !== act.urlAfter)
  if (!later) return act
  return { ...act, stateAfter: later.state ?? null, urlAfter: later.url ?? null, lines: treeIn(later) }
}

const treeIn = (result: Result): string[] =>
  pageIn(result).some((line) => line.startsWith('Page ')) ? pageIn(result) : []
/** What a result shows of pages, line by line. */
export const pageIn = ({ text }: Pick<Result, 'text'>): string[] =>
  [...text.matchAll(PAGE)].flatMap(([, page = '']) => page.split('\n'))

/** [J7] What was not there this time may be there the next time. */
function skippedAct(call: JournalCall, group: number, state: string | null, url: string | null): Act | null {
  const { target, to_target: toTarget } = call.input as {
    target?: ActReport['target']
    to_target?: ActReport['target']
  }
  if (!target) return null
  const report = { target: { ...target, overlay: true as const }, ...(toTarget ? { toTarget } : {}) }
  return {
    group,
    call,
    report,
    stateBefore: state,
    stateAfter: state,
    urlBefore: url,
    urlAfter: url,
    linesBefore: [],
    lines: [],
    readBefore: 0,
  }
}

const setsValue = ({ call: { tool, input } }: Act): boolean =>
  tool === 'form_input' || (tool === 'computer' && input.action === 'type')

/** What a shortcut does may show only later: what is typed then is bold, or something is pasted. */
const isShortcut = ({ call: { input } }: Act): boolean =>
  input.action === 'key' && /\b(?:ctrl|control|cmd|command|meta|super|alt|option)\+/i.test(String(input.text))

/** What it selects shows nowhere. */
const selectsText = ({ call: { input } }: Act): boolean => SELECTING.has(String(input.action))

/** Where something lies on the page shows nowhere either. */
const drags = ({ call: { input } }: Act): boolean => DRAGGING.has(String(input.action))

/** A field that held the value already may hold another one the next time. */
const countsUnchanged = (act: Act): boolean => setsValue(act) || isShortcut(act) || selectsText(act) || drags(act)

const isWithoutEffect = (act: Act): boolean =>
  !countsUnchanged(act) && !act.report.terms && act.call.tool !== 'navigate' && isUnchanged(act)

const isUnchanged = ({ stateBefore, stateAfter }: Act): boolean => stateAfter !== null && stateAfter === stateBefore

function canBeFound({ call: { tool, input }, report }: Act): boolean {
  if (PAGELESS.has(tool)) return true
  const isDrag = input.action === 'left_click_drag'
  return report.target !== undefined && (!isDrag || report.toTarget !== undefined)
}

/**
 * Leaves out acts after which the page is what it was before them: a menu that was closed again, a page from which there was
 * a way back. What may have done something elsewhere stays.
 */
function withoutDetour(acts: Act[], readings: Reading[]): void {
  const last = acts.at(-1)
  if (!last || last.stateAfter === null || (countsUnchanged(last) && isUnchanged(last))) return
  const start = acts.findIndex(({ stateBefore }) => stateBefore !== null && stateBefore === last.stateAfter)
  if (start < 0) return
  const detour = acts.slice(start)
  if (detour.some(({ report }) => report.terms || report.target?.overlay)) return
  const staysOnPage = detour.every(({ urlBefore, urlAfter }) => urlBefore === urlAfter)
  const onlyWalks = detour.every(isWalk)
  if (!onlyWalks && !(staysOnPage && detour.length <= 2)) return
  acts.splice(start)
  for (let at = readings.length - 1; at >= 0; at--) if ((readings[at]?.after ?? 0) > start) readings.splice(at, 1)
}

/** It only goes somewhere. */
const isWalk = ({ call: { tool, input }, report }: Act): boolean =>
  tool === 'navigate' || tool === 'tabs' || (input.action === 'left_click' && report.target?.role === 'link')

/** What a typed word may be of: the lines that were read, and what was asked for. */
interface Sources {
  readonly read: readonly string[]
  readonly task: string
}

function stepOf(act: Act, templater: Templater, { read, task }: Sources): RecipeStep {
  const { call, report, group } = act
  const { target, toTarget, terms } = report
  const expect = expectationOf(act, templater)
  const input = inputOf(call, `${target?.name ?? ''} ${target?.label ?? ''} ${target?.attribute ?? ''}`, templater)
  // What is chosen in a field must be offered there.
  const mayBeCopied = setsValue(act) && !CHOICES.includes(target?.role ?? '')
  const copied = mayBeCopied ? copiedIn(input, read.slice(0, act.readBefore), task) : []
  return {
    tool: call.tool,
    input,
    ...(target ? { target: templater.all(target) } : {}),
    ...(toTarget ? { toTarget: templater.all(toTarget) } : {}),
    group,
    ...(copied.length > 0 ? { copied } : {}),
    ...(expect ? { expect } : {}),
    ...(terms ? { terms: termsWithPlaces(terms, templater) } : {}),
    ...(target?.overlay ? { optional: true as const } : {}),
  }
}

/** Words that are typed and had been read on a page, and that neither the task nor an input says. */
function copiedIn({ text, value }: RecipeStep['input'], read: readonly string[], task: string): string[] {
  const typed = typeof text === 'string' ? text : typeof value === 'string' ? value : ''
  const words = typed.replaceAll(/\{\{[^}]*\}\}/g, ' ').match(WORD) ?? []
  const page = read.join('\n')
  return [...new Set(words)].filter((word) => !isSaid(word, task) && isSaid(word, page))
}

function inputOf({ input }: JournalCall, about: string, templater: Templater): RecipeStep['input'] {
  const fields = Object.entries(input).filter(([name]) => !LEFT_OUT.has(name))
  // Names of keys are no values, whatever an input is called.
  const isKey = input.action === 'key'
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      name === 'value'
        ? templater.value(value, about)
        : name === 'action' || isKey
          ? value
          : templater.all(value, about),
    ]),
  )
}

const termsWithPlaces = ({ form, fields, lines }: Terms, { text }: Templater): Terms => ({
  form: form === null ? null : text(form),
  fields: fields.map((field) => ({ ...field, value: text(field.value, field.name) })),
  lines: lines.map((line) => text(line)),
})

/**
 * The shape of the address, and up to three lines that were not on the page before. Of what only changed a field nothing is
 * expected.
 */
function expectationOf(act: Act, templater: Templater): Expectation | null {
  if (setsValue(act) || act.report.target?.overlay) return null
  const shape = act.urlAfter === null ? null : addressShape(act.urlAfter)
  const known = new Set(act.linesBefore.map(lineShape))
  const start = act.lines.findIndex((line) => line.startsWith('Page '))
  const isWhole = start >= 0 && !act.lines.some((line) => /^\s*[+~-] /.test(line))
  const came = isWhole ? act.lines.slice(start + 1) : act.lines.filter((line) => /^\s*\+ /.test(line))
  const lines = came.flatMap((line) => {
    const shaped = lineShape(line)
    return shaped === null || known.has(shaped) || shaped.length > LINE_CHARS_MAX || !/ ".*\p{L}{2}/u.test(shaped)
      ? []
      : [shaped]
  })
  const best = [...new Set(lines)].sort((one, other) => rankOf(one) - rankOf(other)).slice(0, LINES_MAX)
  if (shape === null && best.length === 0) return null
  return { url: shape === null ? null : templater.text(shape), lines: best.map((line) => templater.text(line)) }
}

const RANKS = ['heading ', 'dialog ', 'button ', 'textbox ', 'combobox ', 'link ', 'text ']
function rankOf(line: string): number {
  const rank = RANKS.findIndex((start) => line.startsWith(start))
  return rank < 0 ? RANKS.length : rank
}

/** The readings that the answer was made of: those that no act on their page followed. */
function wantedOf(readings: readonly Reading[], acts: readonly Act[]): Reading[] {
  const last = new Map(readings.map((reading) => [reading.after, reading]))
  return [...last.values()]
    .filter(({ after }) => after === acts.length || (after > 0 && acts[after]?.call.tool === 'navigate'))
    .slice(-READS_MAX)
}

/** With what is read for the answer; at least one reading is at the end. */
function withReadings(steps: readonly RecipeStep[], acts: readonly Act[], wanted: readonly Reading[]): RecipeStep[] {
  const reads = ({ call: { tool, input }, group }: Reading): RecipeStep => ({
    tool,
    input: Object.fromEntries(Object.entries(input).filter(([name]) => !LEFT_OUT.has(name))),
    group,
    reads: true,
  })
  const all = steps.flatMap((step, at) => [...wanted.filter(({ after }) => after === at && at > 0).map(reads), step])
  const atEnd = wanted.filter(({ after }) => after === acts.length).map(reads)
  const group = (acts.at(-1)?.group ?? 0) + 1
  return [...all, ...(atEnd.length > 0 ? atEnd : [{ tool: 'get_page_text', input: {}, group, reads: true as const }])]
}

/** The output that the task ended with. */
function outputOf(journal: readonly JournalEntry[]): unknown {
  const calls = journal.flatMap((entry) => (entry.kind === 'reply' ? entry.calls : []))
  return calls.findLast(({ tool, refusal }) => tool === 'finish' && refusal === null)?.input.output ?? null
}

/** [J15] What the steps of a recipe that read have read in this task, in their order. */
export function readingsIn(steps: readonly RecipeStep[], journal: readonly JournalEntry[]): Readings {
  const results = new Map(journal.flatMap((entry) => (entry.kind === 'result' ? [[entry.requestId, entry]] : [])))
  const read = new Map<number, string[]>()
  for (const entry of journal) {
    if (entry.kind !== 'reply' || !entry.played) continue
    for (const [at, { requestId }] of entry.calls.entries()) {
      const result = results.get(requestId)
      const step = entry.played.from + at
      if (steps[step]?.reads && result && !result.failed) read.set(step, linesOf(pageIn(result).join('\n')))
    }
  }
  return steps.flatMap(({ reads }, at) => (reads ? [read.get(at) ?? []] : []))
}
