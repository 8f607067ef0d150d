import type { Target } from '../../../machines/recipe.ts'
import { addressShape } from '../../../machines/recipe-shape.ts'
import { type Choice, chosen } from '../../../machines/recipe-target.ts'
import { URL_CHARS_MAX } from '../../wire/limits.ts'
import { ToolError } from './cdp.ts'
import type { PageFrame } from './frames.ts'
import { type Call, type FrameObject, onElement, readable } from './page.ts'
import { refName } from './refs.ts'
import { ask, askPrepared } from './tree/reader.ts'
import { pause } from './waiting.ts'

const LOOK_MS = 150
const SHOWN_MAX = 5
const TARGET_OF = 'function () { return reader.targetOf(this) }'

/** [J2] What an element is known by when the page is drawn anew; `null` where it can not be said. */
export async function targetOf(call: Call, object: FrameObject): Promise<Target | null> {
  const target = await onElement<Target | null>(call, object, TARGET_OF).catch((error) => {
    if (call.signal.aborted) throw error
    return null
  })
  return target && inFrame(target, object.frame)
}

/** With where it is, as far as that holds: an address without origin and ids. */
function inFrame(target: Target, { number, url }: PageFrame): Target {
  const { href, ...rest } = target
  const shape = href === undefined ? null : addressShape(href)
  const path = shape === null ? null : shape.replace(/^https?:\/\/[^/]*/, '')
  return {
    ...rest,
    ...(path === null || path === '' ? {} : { href: path.slice(0, URL_CHARS_MAX) }),
    ...(number === null ? {} : { frame: (addressShape(url) ?? 'about:').slice(0, URL_CHARS_MAX) }),
  }
}

/**
 * [J3] The reference of the one element that is clearly the target, once it is there, visible and enabled: at most `waitMs`.
 * Throws a ToolError that says what was found instead. `isExact`: its name must be the same.
 */
export async function findTarget(call: Call, target: Target, waitMs: number, isExact: boolean): Promise<string> {
  await readable(call)
  const until = performance.now() + waitMs
  for (;;) {
    const found = await candidatesIn(call, target)
    const choice = chosen(target, found, isExact)
    if ('index' in choice) return found[choice.index]?.ref ?? ''
    if (performance.now() >= until) throw unclear(target, found, choice)
    await pause(LOOK_MS, call.signal)
    if (call.signal.aborted) throw call.signal.reason
  }
}

interface Found {
  readonly ref: string
  readonly target: Target
  readonly isDisabled: boolean
}

async function candidatesIn(call: Call, target: Target): Promise<Found[]> {
  const { page } = call
  const frames = await page.frames.list(call)
  const inEach = await Promise.all(
    frames.map(async (frame) => {
      const nextRef = frame.number === null ? page.counter.next : 1
      const answer = await askPrepared(call, frame, () => ask(call, frame, 'candidates', { target, nextRef }))
      if (!answer) return []
      if (frame.number === null) page.counter.next = answer.nextRef
      return answer.found.map(({ number, ...found }) => ({
        ...found,
        ref: refName(frame.number, number),
        target: inFrame(found.target, frame),
      }))
    }),
  )
  return inEach.flat()
}

const WHY = {
  none: 'nothing like it',
  other: 'nothing that is clearly it',
  several: 'several that are alike',
  disabled: 'it is disabled',
} as const

function unclear(target: Target, found: readonly Found[], choice: Exclude<Choice, { index: number }>): ToolError {
  const shown = found.slice(0, SHOWN_MAX).map(({ ref, target: { role, name, row, item, heading } }) => {
    const place = row ?? item ?? heading
    return `${ref}: ${role} ${JSON.stringify(name)}${place ? ` in ${JSON.stringify(place)}` : ''}`
  })
  const wanted = `${target.role} ${JSON.stringify(target.name)}`
  const refused = `${WHY[choice.why]}${shown.length === 0 ? '' : `: ${shown.join('; ')}`}`
  return new ToolError('No element of the page is clearly the target, so nothing was done.', `${wanted}: ${refused}`, {
    refused,
  })
}
