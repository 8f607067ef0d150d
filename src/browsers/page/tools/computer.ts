import { SECOND_MS } from '../../../../machines/limits.ts'
import type { ComputerInput } from '../../../wire/tools.ts'
import { ToolError } from '../cdp.ts'
import { clickablePoint, describe, elementOf, hitAt, intoView, nameOf, type Point } from '../element.ts'
import { press, typeText } from '../input/keyboard.ts'
import { bitsOf, parseChord, parseModifiers } from '../input/keys.ts'
import { click, drag, move, wheel } from '../input/pointer.ts'
import { type Call, evaluate, onElement, readable, settled } from '../page.ts'
import { joinLines, type Result } from '../result.ts'
import { pointOf, screenshot, zoom } from '../screenshot.ts'
import { FOCUS, HAS_FOCUSED_FIELD, SCROLL_POSITION } from '../scripts/element.ts'
import { truncate } from '../text.ts'
import { pause } from '../waiting.ts'

const SCROLL_TICKS_DEFAULT = 3
/** A scroll goes on for a moment after the wheel was turned. */
const SCROLL_LOOKS_MAX = 15
const SCROLL_LOOK_MS = 20

/** Mouse, keyboard and screenshots. */
export async function computer(call: Call, input: ComputerInput): Promise<Result> {
  const { action } = input
  if (action === 'wait') return said(await wait(call, input.duration ?? 1))
  if (action === 'screenshot') {
    const { data, width, height } = await screenshot(call)
    return { ...said(`Screenshot of ${width} × ${height} pixels.`), screenshot: data }
  }
  if (action === 'zoom') {
    if (!input.region) throw missing('zoom', 'region')
    const { data } = await zoom(call, input.region)
    const text = `Region [${input.region.join(', ')}], enlarged. Coordinates still mean pixels of the whole screenshot.`
    return { ...said(text), screenshot: data }
  }
  await readable(call)
  const moves = call.page.loading.moves
  const done = await act(call, input)
  const after = await settled(call, moves)
  return { said: joinLines(done.said, after.said), content: joinLines(done.content, after.content) }
}

const said = (text: string, content = ''): Result => ({ said: text, content })

const missing = (action: string, fields: string): ToolError => new ToolError(`${action} needs ${fields}.`)

function act(call: Call, input: ComputerInput): Promise<Result> {
  switch (input.action) {
    case 'left_click':
      return clicked(call, input, 'Clicked', 'left', 1)
    case 'right_click':
      return clicked(call, input, 'Right-clicked', 'right', 1)
    case 'double_click':
      return clicked(call, input, 'Double-clicked', 'left', 2)
    case 'triple_click':
      return clicked(call, input, 'Triple-clicked', 'left', 3)
    case 'hover':
      return hovered(call, input)
    case 'left_click_drag':
      return dragged(call, input)
    case 'type':
      return typed(call, input)
    case 'key':
      return pressed(call, input)
    case 'scroll':
      return scrolled(call, input)
    case 'scroll_to':
      return scrolledTo(call, input)
    default:
      throw new ToolError(`There is no action ${input.action}.`)
  }
}

interface Target {
  readonly at: Point
  /** In a sentence of ours. */
  readonly name: string
  /** What it is, in the page's words. */
  readonly content: string
}

/** Where an action goes: the element's visible middle, or the coordinate. */
async function target(call: Call, input: ComputerInput): Promise<Target> {
  if (input.ref !== undefined) {
    const element = await elementOf(call, input.ref)
    return { at: await clickablePoint(call, element), name: element.ref, content: nameOf(element) }
  }
  if (!input.coordinate) throw missing(input.action, 'a ref or a coordinate')
  const at = await pointOf(call, input.coordinate)
  const hit = await hitAt(call, at)
  const name = `[${input.coordinate.join(', ')}]`
  return { at, name: `at ${name}`, content: hit === null ? '' : `${name}: ${await describe(call, hit)}` }
}

async function clicked(call: Call, input: ComputerInput, verb: string, button: 'left' | 'right', count: number) {
  const modifiers = bitsOf(parseModifiers(input.modifiers ?? ''))
  const { at, name, content } = await target(call, input)
  await click(call, at, button, count, modifiers)
  return said(`${verb} ${name}.`, content)
}

async function hovered(call: Call, input: ComputerInput): Promise<Result> {
  const { at, name, content } = await target(call, input)
  await move(call, at)
  return said(`The mouse is over ${name.replace(/^at /, '')}.`, content)
}

async function dragged(call: Call, input: ComputerInput): Promise<Result> {
  if (!input.coordinate) throw missing(input.action, 'a coordinate to drag to')
  const modifiers = bitsOf(parseModifiers(input.modifiers ?? ''))
  let from: Point
  if (input.start_coordinate) from = await pointOf(call, input.start_coordinate)
  else if (input.ref !== undefined) from = await clickablePoint(call, await elementOf(call, input.ref))
  else throw missing(input.action, 'a start_coordinate or a ref')
  const to = await pointOf(call, input.coordinate)
  await drag(call, from, to, modifiers)
  const start = input.start_coordinate ? `[${input.start_coordinate.join(', ')}]` : input.ref
  return said(`Dragged from ${start} to [${input.coordinate.join(', ')}].`)
}

async function typed(call: Call, input: ComputerInput): Promise<Result> {
  if (input.text === undefined || input.text === '') throw missing('type', 'text')
  let where = ''
  let content = ''
  if (input.ref !== undefined) {
    const element = await elementOf(call, input.ref)
    if (!(await onElement<boolean>(call, element, FOCUS))) {
      const sentence = `Element ${element.ref} cannot take the focus. Click the field to type in first.`
      throw new ToolError(sentence, nameOf(element))
    }
    where = ` into ${element.ref}`
    content = nameOf(element)
  }
  const focused = (await evaluate(call, HAS_FOCUSED_FIELD)).result.value === true
  await typeText(call, input.text)
  const note = focused ? '' : ' No field had the focus: if nothing changed, click the field first or give its ref.'
  return said(`Typed ${JSON.stringify(truncate(input.text, 200))}${where}.${note}`, content)
}

async function pressed(call: Call, input: ComputerInput): Promise<Result> {
  if (input.text === undefined || input.text.trim() === '') throw missing('key', 'text')
  const chords = input.text.trim().split(/\s+/).map(parseChord)
  if (input.ref !== undefined) await onElement(call, await elementOf(call, input.ref), FOCUS)
  for (let time = 0; time < (input.repeat ?? 1); time += 1) {
    for (const chord of chords) await press(call, chord)
  }
  const times = input.repeat === undefined || input.repeat === 1 ? '' : ` ${input.repeat} times`
  return said(`Pressed ${input.text.trim()}${times}.`)
}

const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const

async function scrolled(call: Call, input: ComputerInput): Promise<Result> {
  const direction = input.scroll_direction ?? 'down'
  const ticks = input.scroll_amount ?? SCROLL_TICKS_DEFAULT
  const [right, down] = DIRECTIONS[direction]
  let at: Point
  if (input.ref !== undefined) {
    const [x1, y1, x2, y2] = await intoView(call, await elementOf(call, input.ref))
    at = { x: (x1 + x2) / 2, y: (y1 + y2) / 2 }
  } else if (input.coordinate) at = await pointOf(call, input.coordinate)
  else {
    const { cssLayoutViewport: view } = await call.send('Page.getLayoutMetrics')
    at = { x: view.clientWidth / 2, y: view.clientHeight / 2 }
  }
  const before = await position(call)
  await wheel(call, at, right * ticks, down * ticks, bitsOf(parseModifiers(input.modifiers ?? '')))
  const after = await atRest(call, before)
  const moved = before.x !== after.x || before.y !== after.y
  const page = `The page is at ${after.y} of ${after.bottom} px${after.right > 0 ? `, ${after.x} of ${after.right} px across` : ''}.`
  return said(`Scrolled ${direction}. ${moved ? page : `The page itself did not move. ${page}`}`)
}

async function scrolledTo(call: Call, input: ComputerInput): Promise<Result> {
  if (input.ref === undefined) throw missing('scroll_to', 'a ref')
  const element = await elementOf(call, input.ref)
  await intoView(call, element)
  return said(`${element.ref} is in view.`, nameOf(element))
}

interface Position {
  readonly x: number
  readonly y: number
  readonly right: number
  readonly bottom: number
}

async function position(call: Call): Promise<Position> {
  const { result } = await evaluate(call, SCROLL_POSITION)
  return result.value as Position
}

/** Where the page has come to rest after it was scrolled from `before`. */
async function atRest(call: Call, before: Position): Promise<Position> {
  let last = before
  for (let look = 0; look < SCROLL_LOOKS_MAX; look += 1) {
    await pause(SCROLL_LOOK_MS, call.signal)
    const now = await position(call)
    const moved = now.x !== before.x || now.y !== before.y
    if (now.x === last.x && now.y === last.y && (moved || look > 2)) return now
    last = now
  }
  return last
}

async function wait(call: Call, seconds: number): Promise<string> {
  await pause(seconds * SECOND_MS, call.signal)
  return `Waited ${seconds} s.`
}
