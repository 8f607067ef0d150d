import type { JournalEntry } from './journal.ts'
import { SECOND_MS } from './limits.ts'
import {
  CHOICES,
  type Deviation,
  type Expectation,
  type Guard,
  type RecipeStep,
  type RecipeVersion,
  type Target,
  type Values,
} from './recipe.ts'
import { pageIn } from './recipe-of.ts'
import { expectedLine } from './recipe-shape.ts'
import { filledAll, filledText, isSaid, placesOf, valuesIn } from './recipe-text.ts'

/** [J6] What comes next when a recipe is played: its position is in the log of the task alone. */
export type NextPlay =
  /** Steps that are asked for together. */
  | { readonly kind: 'acts'; readonly from: number; readonly steps: readonly RecipeStep[] }
  | { readonly kind: 'deviated'; readonly deviation: Deviation }
  /** All of it was played: the answer is left. */
  | { readonly kind: 'played' }
  /** The recipe ends here, and the task does not. */
  | { readonly kind: 'ended' }
  /** The model works already. */
  | { readonly kind: 'model' }

/** [J7] How long a target, and what is expected after an act, are waited for; a target that may be absent, not so long. */
export const RECIPE_WAIT_MS = 5 * SECOND_MS
export const RECIPE_WAIT_MS_OPTIONAL = SECOND_MS

const MESSAGE = 'a message from the user'
const FOUND_CHARS_MAX = 2_000

type Result = Extract<JournalEntry, { kind: 'result' }>

/** What comes next after what the log has of this task. */
export function nextPlay(
  { steps, isWhole, unused, inputs }: Pick<RecipeVersion, 'steps' | 'isWhole' | 'unused' | 'inputs'>,
  journal: readonly JournalEntry[],
  values: Values,
): NextPlay {
  const results = new Map(journal.flatMap((entry) => (entry.kind === 'result' ? [[entry.requestId, entry]] : [])))
  let at = 0
  let isSpokenTo = false
  for (const entry of journal) {
    if (entry.kind === 'deviation') return { kind: 'model' }
    if (entry.kind === 'message') isSpokenTo = true
    if (entry.kind !== 'reply') continue
    if (!entry.played) return { kind: 'model' }
    at = entry.played.from
    for (const { requestId } of entry.calls) {
      const step = steps[at]
      const result = results.get(requestId)
      if (!step || !result) break
      const isAbsent = step.optional && result.failed && result.act?.refused !== undefined
      if (!isAbsent) {
        const found = wrongWith(result)
        if (found !== null) return { kind: 'deviated', deviation: deviationAt(at, step, values, result, found) }
      }
      at += 1
      // What was behind it in the same reply was not run.
      if (isAbsent || result.halts) break
    }
  }
  const step = steps[at]
  const deviated = (found: string): NextPlay => ({
    kind: 'deviated',
    deviation: { step: at + 1, expected: step ? stepWords(step, values) : 'the answer', found },
  })
  if (isSpokenTo) return deviated(MESSAGE)
  if (!step) return { kind: isWhole ? 'played' : 'ended' }
  const end = steps.findIndex((other, index) => index > at && other.group !== step.group)
  const group = steps.slice(at, end < 0 ? steps.length : end)
  // What no act depends on may have decided which acts these are.
  const other = unused.find((name) => values[name] !== inputs[name])
  if (other !== undefined && group.some(({ reads, tool }) => !reads && tool !== 'navigate')) {
    return deviated(`${other} is ${JSON.stringify(values[other])}, and no step says what that changes`)
  }
  const copied = group.flatMap(({ copied = [] }) => copied)
  const shown = copied.length === 0 ? '' : [...results.values()].flatMap(pageIn).join('\n')
  const gone = copied.find((word) => !isSaid(word, shown))
  if (gone !== undefined)
    return deviated(`${JSON.stringify(gone)} was copied from a page, and no page has shown it now`)
  return { kind: 'acts', from: at, steps: group }
}

/** Why a step did not go as expected; `null`: it did. */
const wrongWith = ({ failed, text, act }: Result): string | null =>
  act?.missed ?? (failed ? (act?.refused ?? text).slice(0, FOUND_CHARS_MAX) : null)

function deviationAt(at: number, step: RecipeStep, values: Values, { failed }: Result, found: string): Deviation {
  const expected = failed
    ? stepWords(step, values)
    : `after ${stepWords(step, values)}: ${expectationWords(step, values)}`
  return { step: at + 1, expected, found }
}

/** How many steps of a recipe were played by the replies of a task, and where it deviated. */
export function playedIn(journal: readonly JournalEntry[]): { played: number; deviation: Deviation | null } {
  const failed = new Set(journal.flatMap((entry) => (entry.kind === 'result' && entry.failed ? [entry.requestId] : [])))
  const calls = journal.flatMap((entry) => (entry.kind === 'reply' && entry.played ? entry.calls : []))
  const deviation = journal.find((entry) => entry.kind === 'deviation')
  return {
    played: calls.filter(({ requestId }) => !failed.has(requestId)).length,
    deviation: deviation ? { step: deviation.step, expected: deviation.expected, found: deviation.found } : null,
  }
}

/** The input of a step with today's values, and what its browser is to heed. */
export function callOf(
  step: RecipeStep,
  { steps, inputs: before }: Pick<RecipeVersion, 'steps' | 'inputs'>,
  now: Values,
): { input: Record<string, unknown>; guard: Guard } {
  const { target, toTarget, terms, expect, optional } = step
  const input = {
    ...filledAll(step.input, now),
    ...(target ? { target: targetNow(target, now) } : {}),
    ...(toTarget ? { to_target: targetNow(toTarget, now) } : {}),
  }
  const guard = {
    waitMs: optional ? RECIPE_WAIT_MS_OPTIONAL : RECIPE_WAIT_MS,
    ...(expect ? { expect: expectationNow(step, expect, now) } : {}),
    ...(terms ? { terms: { terms, before, now, choosing: choosingOf(steps) } } : {}),
    ...(optional ? { optional } : {}),
  }
  return { input, guard }
}

/** [J8] The inputs that choose: they are in a target or an address, or are taken from what a field offers. */
function choosingOf(steps: readonly RecipeStep[]): string[] {
  const texts = steps.flatMap(({ tool, input, target, toTarget }) => [
    ...Object.values({ ...target, ...toTarget }),
    ...(tool === 'navigate' ? [input.url] : []),
    ...(tool === 'form_input' && CHOICES.includes(target?.role ?? '') ? [input.value] : []),
  ])
  return [...new Set(texts.flatMap((text) => (typeof text === 'string' ? placesOf(text) : [])))]
}

/** A target has texts alone, also where an input is a number. */
function targetNow(target: Target, values: Values): Target {
  const texts = Object.entries(target).map(([key, value]) => [
    key,
    typeof value === 'string' ? filledText(value, values) : value,
  ])
  const { name, label, row, item } = target
  const says = { name: valuesIn([name, label], values), place: valuesIn([row, item], values) }
  const isFree = says.name.length === 0 && says.place.length === 0
  return { ...Object.fromEntries(texts), ...(isFree ? {} : { says }) }
}

function expectationNow({ terms }: RecipeStep, { url, lines }: Expectation, values: Values): Expectation {
  const headings = terms ? lines.filter((line) => line.startsWith('heading ')) : []
  return {
    url: url === null ? null : filledText(url, values),
    // Whether an irreversible act succeeded is in the heading: what else came may come with a failure, too.
    lines: (headings.length > 0 ? headings : lines).map((line) => expectedLine(line, values)),
  }
}

/** What is expected after a step, in words; without values its places are named. */
export function expectationWords(step: RecipeStep, values: Values | null): string {
  if (!step.expect) return 'nothing in particular'
  const { url, lines } = values === null ? step.expect : expectationNow(step, step.expect, values)
  return [
    ...(url === null ? [] : [`the page ${url}`]),
    ...(lines.length > 0 ? [`one of ${lines.join('; ')}`] : []),
  ].join(' with ')
}

const VERBS: Readonly<Record<string, string>> = {
  left_click: 'click',
  right_click: 'right-click',
  double_click: 'double-click',
  triple_click: 'triple-click',
  hover: 'hover over',
  left_click_drag: 'drag',
}

/** A step in words: `set textbox "Full name" to "Ada"`. */
export function stepWords({ tool, input, target, toTarget, optional }: RecipeStep, values: Values | null): string {
  const written = (value: unknown) => JSON.stringify(values === null ? value : filledAll({ value }, values).value)
  const named = target ? ` ${values === null ? nameOf(target) : filledText(nameOf(target), values)}` : ''
  const to = toTarget ? ` to ${values === null ? nameOf(toTarget) : filledText(nameOf(toTarget), values)}` : ''
  const maybe = optional ? ' if it is there' : ''
  const { action, value, text, url, name, accept } = input
  if (tool === 'form_input') return `set${named} to ${written(value)}${maybe}`
  if (tool === 'navigate') return `open ${written(url)}`
  if (tool === 'dialog') return accept ? 'accept the dialog' : 'dismiss the dialog'
  if (tool === 'files') return `upload ${written(name)} to${named}`
  if (tool !== 'computer') return `${tool}${typeof action === 'string' ? ` ${action}` : ''}${named}`
  if (action === 'type') return `type ${written(text)} into${named}${maybe}`
  if (action === 'key') return `press ${String(text)} in${named}${maybe}`
  return `${VERBS[String(action)] ?? action}${named}${to}${maybe}`
}

const nameOf = ({ role, name, row, item }: NonNullable<RecipeStep['target']>): string => {
  const place = row ?? item
  return `${role} ${JSON.stringify(name)}${place ? ` in ${JSON.stringify(place.slice(0, 80))}` : ''}`
}
