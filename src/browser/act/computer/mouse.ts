import { SECOND_MS } from '../../../../machines/limits.ts'
import type { ComputerInput } from '../../../wire/tools.ts'
import { ToolError } from '../cdp.ts'
import { describe, type Element, elementOf, hitAt, nameOf, type Point } from '../element.ts'
import { type Dragged, drag } from '../input/drag.ts'
import { bitsOf, parseModifiers } from '../input/keys.ts'
import { type Button, click, mouseDown, mouseUp, move, type Spot, spotIn } from '../input/pointer.ts'
import type { Call } from '../page.ts'
import { clickablePoint, dropPoint, middleOf, readyHeir, readyUntil, takesClickAt } from '../ready.ts'
import { parseRef, StaleRef } from '../refs.ts'
import type { Result } from '../result.ts'
import { pointOf } from '../screenshot.ts'
import { ask } from '../tree/reader.ts'
import { pause } from '../waiting.ts'
import { missing } from './missing.ts'

interface Target {
  /** In the tab's viewport. */
  readonly at: Point
  readonly spot: Spot
  /** Its name in the tool's own sentences. */
  readonly name: string
  /** What it is, in the page's words. */
  readonly content: string
  /** Whether it would still take a click there. */
  isStillThere(): Promise<boolean>
}

/** How long to wait before aiming again at a target that has moved away from under the mouse. */
const AIM_AGAIN_MS = 60
/** What changes under the mouse shows by then … */
const HOVER_MS = 20
/** … or, when the page set a timer for it, by then. */
const HOVER_TIMER_MS_MAX = 150
const HOVER_LOOK_MS = 10

/** Where an action goes: the element's visible middle, as soon as it is ready, or the coordinate. */
async function target(call: Call, input: ComputerInput): Promise<Target> {
  if (input.ref !== undefined) return (await inReach(call, input.ref)) ?? readyTarget(call, input.ref)
  if (!input.coordinate) throw missing(input.action, 'a ref or a coordinate')
  // The mouse can leave the page, as one that closes what it has left open.
  const at = await pointOf(call, input.coordinate, input.action === 'mouse_move')
  const hit = await hitAt(call, at)
  const name = `[${input.coordinate.join(', ')}]`
  const content = hit === null ? '' : `${name}: ${await describe(call, hit)}`
  const spot = await spotIn(call, hit?.frame ?? (await call.page.frames.main(call)), at)
  return { at, spot, name: `at ${name}`, content, isStillThere: async () => true }
}

/** A target that is in view in the main frame, as most are; `null`: it takes a closer look. */
async function inReach(call: Call, given: string): Promise<Target | null> {
  const parsed = parseRef(given)
  if (!parsed || parsed.frame !== null) return null
  const { ref, element: number } = parsed
  const frame = await call.page.frames.main(call)
  const found = await ask(call, frame, 'reach', number)
  if (!found) return null
  const { at, label } = found
  // At another point it was not at rest, and the press would come behind it.
  const isStillThere = async () => {
    const now = (await ask(call, frame, 'reach', number))?.at
    return now?.x === at.x && now.y === at.y
  }
  return { at, spot: { frame, at }, name: ref, content: nameOf({ ref, label }), isStillThere }
}

async function readyTarget(call: Call, ref: string): Promise<Target> {
  const { element, at } = await readyAt(call, ref)
  const spot = await spotIn(call, element.frame, at)
  const isStillThere = () => takesClickAt(call, element, at)
  return { at, spot, name: element.ref, content: nameOf(element), isStillThere }
}

/** The element and where it takes a click. Lists that draw only what is in view draw it anew as it is scrolled to. */
async function readyAt(call: Call, ref: string): Promise<{ element: Element; at: Point }> {
  const until = readyUntil(call)
  const element = await elementOf(call, ref)
  try {
    return { element, at: await clickablePoint(call, element) }
  } catch (error) {
    if (!(error instanceof StaleRef)) throw error
    return readyHeir(call, ref, until)
  }
}

/** The mouse is over the target, and the target still under the mouse after whatever the page does then. */
async function aimed(call: Call, input: ComputerInput, modifiers: number): Promise<Target> {
  const until = readyUntil(call)
  for (;;) {
    const found = await target(call, input)
    const since = performance.now()
    await move(call, found.spot, modifiers)
    await hoverSettled(call, since)
    if (await found.isStillThere()) return found
    if (performance.now() >= until)
      throw new ToolError(
        `Element ${input.ref} is covered by something as soon as the mouse is over it, or moves away.`,
      )
    await pause(AIM_AGAIN_MS, call.signal)
  }
}

/** What the mouse set off by coming over something has shown. */
async function hoverSettled({ page, signal }: Call, since: number): Promise<void> {
  await pause(HOVER_MS, signal)
  const until = since + HOVER_TIMER_MS_MAX
  while (page.activity.timersSince(since) > 0 && performance.now() < until && !signal.aborted) {
    await pause(HOVER_LOOK_MS, signal)
  }
}

/** Clicks the given number of times in a row. */
export async function clicked(
  call: Call,
  input: ComputerInput,
  verb: string,
  button: Button,
  count: number,
): Promise<Result> {
  const modifiers = bitsOf(parseModifiers(input.modifiers ?? ''))
  const { spot, name, content } = await aimed(call, input, modifiers)
  const held = input.hold === undefined ? '' : ` and held for ${input.hold} s`
  call.done = { said: `${verb} ${name}${held}.`, content }
  await click(call, spot, { button, count, modifiers, holdMs: (input.hold ?? 0) * SECOND_MS })
  return call.done
}

/** Moves the mouse over something. */
export async function hovered(call: Call, input: ComputerInput): Promise<Result> {
  const { spot, name, content } = await target(call, input)
  await move(call, spot)
  return { said: `The mouse is over ${name.replace(/^at /, '')}.`, content }
}

/** Moves the mouse to an element or a coordinate, which need not be free: the button may be down. */
export async function moved(call: Call, input: ComputerInput): Promise<Result> {
  const { spot, name, content } = await target(call, input)
  await move(call, spot)
  return { said: `Moved the mouse to ${name.replace(/^at /, '')}.`, content }
}

/** Presses the left button, at the target when there is one, and leaves it down. */
export async function pressedDown(call: Call, input: ComputerInput): Promise<Result> {
  const goes = input.ref !== undefined || input.coordinate !== undefined
  const { spot, name, content } = goes
    ? await target(call, input)
    : { spot: null, name: 'where the mouse is', content: '' }
  if (spot) await move(call, spot)
  call.done = { said: `The left button is down ${name.startsWith('at') || !goes ? name : `on ${name}`}.`, content }
  await mouseDown(call, bitsOf(parseModifiers(input.modifiers ?? '')))
  return call.done
}

/** Lets the left button go, at the target when there is one. */
export async function releasedUp(call: Call, input: ComputerInput): Promise<Result> {
  if (input.ref !== undefined || input.coordinate !== undefined) await move(call, (await target(call, input)).spot)
  call.done = { said: 'Released the left button.', content: '' }
  await mouseUp(call, bitsOf(parseModifiers(input.modifiers ?? '')))
  return call.done
}

/** From an element or a coordinate to another; the end may lie outside the page. */
export async function dragged(call: Call, input: ComputerInput): Promise<Result> {
  const modifiers = bitsOf(parseModifiers(input.modifiers ?? ''))
  const start = input.start_coordinate
  if (!start && input.ref === undefined) throw missing(input.action, 'a start_coordinate or a ref')
  if (!input.coordinate && input.to_ref === undefined)
    throw missing(input.action, 'a coordinate or a to_ref to drag to')
  const content: string[] = []
  const main = await call.page.frames.main(call)
  const frames = start ? [main] : []
  const pointAt = async (ref: string): Promise<Point> => {
    const element = await elementOf(call, ref)
    content.push(nameOf(element))
    frames.push(element.frame)
    return clickablePoint(call, element)
  }
  // The end first: bringing the start into view afterwards leaves it where it is pressed.
  if (input.to_ref !== undefined) await pointAt(input.to_ref)
  const from = start ? await pointOf(call, start) : await pointAt(input.ref ?? '')
  const end = input.to_ref ?? `[${input.coordinate?.join(', ')}]`
  const origin = start ? `[${start.join(', ')}]` : input.ref
  call.done = { said: `Dragged from ${origin} to ${end}.`, content: content.join('\n') }
  const [first = main] = frames
  const frame = frames.every(({ session }) => session === first.session) ? first : main
  const endAt = async (): Promise<Point> =>
    input.to_ref === undefined
      ? pointOf(call, input.coordinate ?? [], true)
      : dropPoint(call, await elementOf(call, input.to_ref), from)
  const towards =
    input.to_ref === undefined ? await endAt() : ((await middleOf(call, await elementOf(call, input.to_ref))) ?? from)
  let to: Point = from
  const dragged = await drag(call, {
    frame,
    from,
    towards,
    modifiers,
    to: async () => {
      to = await endAt()
      return to
    },
  })
  const hit = await hitAt(call, to)
  if (hit) content.push(`Under the end: ${await describe(call, hit)}`)
  return { said: DRAGGED[dragged](`${origin}`, end), content: content.join('\n') }
}

/** What the drag did, as far as the browser knows: what a page makes of the mouse is told with its changes. */
const DRAGGED: Readonly<Record<Dragged, (from: string, to: string) => string>> = {
  'by mouse': (from, to) => `Dragged from ${from} to ${to}.`,
  dropped: (from, to) => `Dragged from ${from} and dropped on ${to}.`,
  'not begun': (from, to) =>
    `Nothing was dragged: the page began no drag at ${from}, though the mouse went from there to ${to}.`,
  'not taken': (from, to) => `Nothing was dropped: what was dragged from ${from} was not taken at ${to}.`,
}
