import { type Element, objectOf } from '../element.ts'
import { click, move, spotIn } from '../input/pointer.ts'
import { type Call, onElement } from '../page.ts'
import { clickablePoint } from '../ready.ts'
import { CHOICE_STATE, OPTIONS, type OptionShown, optionAt } from '../scripts/choice.ts'
import { pause } from '../waiting.ts'
import { type Control, type Held, inputLeaves, refused } from './control.ts'
import { samenessOf } from './same-value.ts'

/** Options may have to be fetched first. */
const OPTIONS_MS_MAX = 2_000
/** Options of a text are waited for only while something goes on. */
const SUGGESTIONS_MS_MIN = 120
const LOOK_MS = 40
const ANSWER_MS = 60
/** Within this time a control shows what was chosen. */
const SHOWN_MS_MAX = 400
const SHOWN_MAX = 30

interface State {
  readonly isOpen: boolean
  readonly holds: string
}

/** Chooses in a list box, or in the list that a combo box or button opens, as a user would: by clicks. */
export async function choose(call: Call, control: Control, wanted: string): Promise<Held> {
  const state = () => onElement<State>(call, control, CHOICE_STATE)
  const before = await state()
  const isList = (await optionsOf(call, control)).length > 0 && !before.isOpen
  if (!before.isOpen && !isList) await clickOn(call, control)
  const found = await awaitOption(call, control, wanted, () => true)
  if (typeof found !== 'number') {
    const shown = found.slice(0, SHOWN_MAX).map(({ label }) => JSON.stringify(label))
    const options = shown.length === 0 ? 'It shows no options.' : `Its options are ${shown.join(', ')}.`
    const open = (await state()).isOpen ? ' Its list is open now.' : ''
    throw refused(control, `has no option ${JSON.stringify(wanted)}. ${options}${open}`)
  }
  const { label, others } = await take(call, control, found, wanted)
  const after = await state()
  const tells = shows(after.holds, label, others)
  if (!tells && after.holds === before.holds)
    throw refused(control, `did not take ${JSON.stringify(label)}: it shows ${JSON.stringify(after.holds)}.`)
  return { holds: tells ? after.holds : label }
}

/** After a text was typed: chooses the option that is called so, if one comes up, and answers what is held then. */
export async function chooseSuggestion(
  call: Call,
  control: Control,
  wanted: string,
  since: number,
): Promise<Held | null> {
  const { activity } = call.page
  const goesOn = () =>
    performance.now() - since < SUGGESTIONS_MS_MIN ||
    activity.pendingSince(since).length > 0 ||
    activity.timersSince(since) > 0
  const found = await awaitOption(call, control, wanted, goesOn)
  if (typeof found !== 'number') return null
  const { label, others } = await take(call, control, found, wanted)
  for (const until = performance.now() + SHOWN_MS_MAX; ; await pause(LOOK_MS, call.signal)) {
    const { holds } = await onElement<State>(call, control, CHOICE_STATE)
    // Where nothing is shown, what was chosen may be drawn elsewhere.
    if (holds === '' || shows(holds, label, others)) return { holds: wanted }
    if (performance.now() >= until) return { holds, differs: true }
  }
}

/** Whether what a control shows tells of an option, and not only of another one whose name contains its. */
function shows(holds: string, label: string, others: readonly string[]): boolean {
  if (same(holds, label)) return true
  // The option 5 is not shown by `15`.
  if (!/\p{L}/u.test(label)) return samenessOf(label, holds) !== 'other'
  const longer = others.filter((other) => other.length > label.length && other.includes(label))
  return longer.reduce((rest, other) => rest.replaceAll(other, ''), holds).includes(label)
}

const optionsOf = (call: Call, control: Control) => onElement<readonly OptionShown[]>(call, control, OPTIONS)

/** The place of the option that is called so, as soon as it is there; else what there was in the end. */
async function awaitOption(
  call: Call,
  control: Control,
  wanted: string,
  goesOn: () => boolean,
): Promise<number | readonly OptionShown[]> {
  const until = performance.now() + OPTIONS_MS_MAX
  for (;;) {
    const options = await optionsOf(call, control)
    const at = indexOf(options, wanted)
    if (at >= 0) return at
    if (performance.now() >= until || !goesOn()) return options
    await pause(LOOK_MS, call.signal)
  }
}

function indexOf(options: readonly OptionShown[], wanted: string): number {
  const exact = options.findIndex(({ label }) => label === wanted.trim())
  if (exact >= 0) return exact
  const alike = options.findIndex(({ label }) => same(label, wanted))
  return alike >= 0 ? alike : options.findIndex(({ value }) => value !== '' && value === wanted)
}

/** Clicks the option unless it is chosen; answers what it is called, and what the others are. */
async function take(
  call: Call,
  control: Control,
  index: number,
  wanted: string,
): Promise<{ readonly label: string; readonly others: readonly string[] }> {
  const options = await optionsOf(call, control)
  const option = options[index]
  if (option?.isDisabled) throw refused(control, `has the option ${JSON.stringify(option.label)}, but it is disabled.`)
  const objectId = await objectOf(call, control, optionAt(index))
  const isList = !(await onElement<State>(call, control, CHOICE_STATE)).isOpen
  if (objectId !== null && !(isList && option?.isSelected)) {
    await clickOn(call, { ...control, objectId, label: `option ${JSON.stringify(option?.label ?? wanted)}` })
    await pause(ANSWER_MS, call.signal)
  }
  return { label: option?.label ?? wanted, others: options.map((each) => each.label) }
}

async function clickOn(call: Call, element: Element): Promise<void> {
  const at = await clickablePoint(call, element)
  const spot = await spotIn(call, element.frame, at)
  inputLeaves(call, element)
  await move(call, spot)
  await click(call, spot, { button: 'left', count: 1, modifiers: 0 })
}

const same = (one: string, other: string): boolean => plain(one) === plain(other)
const plain = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()
