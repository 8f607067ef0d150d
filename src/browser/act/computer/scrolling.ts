import type { ComputerInput } from '../../../wire/tools.ts'
import { elementOf, hitAt, intoView, nameOf } from '../element.ts'
import type { PageFrame } from '../frames.ts'
import { rootOf } from '../geometry.ts'
import { bitsOf, parseModifiers } from '../input/keys.ts'
import { type Spot, spotIn, wheel } from '../input/pointer.ts'
import { type Call, evaluate } from '../page.ts'
import type { Result } from '../result.ts'
import { pointOf } from '../screenshot.ts'
import { SCROLL_POSITIONS, SCROLLABLES_AT } from '../scripts/scroll.ts'
import { pause } from '../waiting.ts'
import { missing } from './missing.ts'

const TICKS_DEFAULT = 3
/** A scroll goes on for a moment after the wheel was turned. */
const LOOKS_MAX = 40
const LOOK_MS = 25
/** Within this many pixels of the end, the end counts as reached. */
const END_PX = 1

interface Position {
  /** In the page's words; empty for the page itself. */
  readonly name: string
  readonly x: number
  readonly y: number
  readonly right: number
  readonly bottom: number
}

const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const

/** Turns the wheel over a point; answers what moved and how far it is from its end. */
export async function scrolled(call: Call, input: ComputerInput): Promise<Result> {
  const direction = input.scroll_direction ?? 'down'
  const ticks = input.scroll_amount ?? TICKS_DEFAULT
  const [right, down] = DIRECTIONS[direction]
  const spot = await spotToScroll(call, input)
  const root = rootOf(spot.frame)
  await evaluate(call, `${SCROLLABLES_AT}(${spot.at.x}, ${spot.at.y})`, root)
  // What has nothing to scroll in a frame scrolls the page around it.
  const main = await call.page.frames.main(call)
  if (root !== main) await evaluate(call, `${SCROLLABLES_AT}(0, 0)`, main)
  const roots = root === main ? [main] : [root, main]
  const before = await positions(call, roots)
  await wheel(call, spot, right * ticks, down * ticks, bitsOf(parseModifiers(input.modifiers ?? '')))
  call.done = { said: `Scrolled ${direction}.`, content: '' }
  const hasRoom = ({ x, y, right: endX, bottom: endY }: Position): boolean =>
    (right > 0 && x < endX - END_PX) || (right < 0 && x > 0) || (down > 0 && y < endY - END_PX) || (down < 0 && y > 0)
  const after = await atRest(call, roots, before, hasRoom)
  const moved = after.find((position, index) => differs(position, before[index]))
  if (!moved) {
    const stays = after.find(hasRoom)
    if (stays) {
      const at = right === 0 ? `${stays.y} of ${stays.bottom}` : `${stays.x} of ${stays.right}`
      const what = stays.name === '' ? 'the page' : 'the inner box'
      const said = `Nothing has moved ${direction} yet: ${what} is at ${at} px. The page may use the wheel for something else.`
      return { said, content: stays.name && `Inner box: ${stays.name}` }
    }
    const page = after.at(-1)
    const where = page ? ` The page is at ${page.y} of ${page.bottom} px.` : ''
    return { said: `Nothing moved ${direction}: there is no more to scroll there.${where}`, content: '' }
  }
  const sideways = right !== 0
  const [position, end] = sideways ? [moved.x, moved.right] : [moved.y, moved.bottom]
  const isEnd = right + down > 0 ? position >= end - END_PX : position <= 0
  const what = moved.name === '' ? 'The page' : 'The inner box'
  return {
    said: `Scrolled ${direction}. ${what} is at ${position} of ${end} px${sideways ? ' across' : ''}.${isEnd ? ' That is its end.' : ''}`,
    content: moved.name && `Inner box: ${moved.name}`,
  }
}

/** Brings an element into view. */
export async function scrolledTo(call: Call, input: ComputerInput): Promise<Result> {
  if (input.ref === undefined) throw missing('scroll_to', 'a ref')
  const element = await elementOf(call, input.ref)
  await intoView(call, element)
  return { said: `${element.ref} is in view.`, content: nameOf(element) }
}

async function spotToScroll(call: Call, input: ComputerInput): Promise<Spot> {
  const main = await call.page.frames.main(call)
  if (input.ref !== undefined) {
    const element = await elementOf(call, input.ref)
    const [x1, y1, x2, y2] = await intoView(call, element)
    return spotIn(call, element.frame, { x: (x1 + x2) / 2, y: (y1 + y2) / 2 })
  }
  if (input.coordinate) {
    const at = await pointOf(call, input.coordinate)
    return spotIn(call, (await hitAt(call, at))?.frame ?? main, at)
  }
  const { cssLayoutViewport: view } = await call.send('Page.getLayoutMetrics')
  return { frame: main, at: { x: view.clientWidth / 2, y: view.clientHeight / 2 } }
}

async function positions(call: Call, roots: readonly PageFrame[]): Promise<readonly Position[]> {
  const all = await Promise.all(roots.map((root) => evaluate(call, SCROLL_POSITIONS, root)))
  return all.flatMap(({ result }) => (result.value as readonly Position[] | undefined) ?? [])
}

const differs = (one: Position, other: Position | undefined): boolean =>
  other === undefined || one.x !== other.x || one.y !== other.y

/** Where everything has come to rest after it was scrolled from `before`; what has room to move is given more time. */
async function atRest(
  call: Call,
  roots: readonly PageFrame[],
  before: readonly Position[],
  hasRoom: (position: Position) => boolean,
): Promise<readonly Position[]> {
  let last = before
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    await pause(LOOK_MS, call.signal)
    const now = await positions(call, roots)
    const moved = now.some((position, index) => differs(position, before[index]))
    const rests = !now.some((position, index) => differs(position, last[index]))
    if (rests && (moved || (look > 3 && !now.some(hasRoom)))) return now
    last = now
  }
  return last
}
