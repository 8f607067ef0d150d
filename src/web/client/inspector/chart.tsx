import { useEffect, useRef, useState } from '../view.ts'
import { moveFocus, setStop } from './chart-parts.ts'
import { drawingOf } from './drawings.ts'
import { type Lit, light } from './light.ts'

const STEP = 1.4
const SCALE_MAX = 4
/** Smaller ones could not be read: their words are 10 px high. What is wider then scrolls. */
const READABLE_MIN = 0.77
/** In a narrow box the words of an end and of what led there are so large: 11 px. */
const END_MIN = 0.88
/** What a narrow box opens with is not lower. */
const PART_MIN_PX = 220
/** How much of its box is seen on each side of the current state, where the drawing goes on. */
const AROUND_PART = 0.1
/** What is brought into sight is so far from the edge. */
const BESIDE_PX = 8
/** A narrower box has no room for a whole drawing that can be read: it opens with a part of it, and is as high as that. */
const NARROW_PX = 600

interface ChartProps {
  /** The kind of actor. */
  readonly kind: string
  readonly states: readonly string[]
  /** What led to them, and from where. */
  readonly event: string
  readonly before: readonly string[]
  /** A paused task is in the state in which it was paused until that ends. */
  readonly isPaused?: boolean
}

/**
 * The statechart of a kind of actor, with its states lit. It is enlarged by buttons, or by the wheel with Ctrl, and moved
 * by dragging; also by keyboard: it scrolls. It opens whole
 * where it can be read so, or else with the current state and those around it in sight, and follows it.
 */
export function Chart({ kind, states, event, before, isPaused = false }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  /** `null`: as it opens. */
  const [chosen, setScale] = useState<number | null>(null)
  const [drawing, setDrawing] = useState<SVGElement | null>(null)
  const [way, setWay] = useState('')

  useEffect(() => {
    let isStale = false
    void drawingOf(kind).then((svg) => {
      if (isStale) return
      const { current } = box
      current?.replaceChildren(...(svg ? [svg] : []))
      setDrawing(svg)
      setScale(null)
    })
    return () => {
      isStale = true
    }
  }, [kind])

  const lit = useRef<Lit>({ state: null, source: null, around: [], words: [] })
  const scale = useRef(1)
  const fit = () => {
    const { current } = box
    if (!drawing || !current) return
    const width = Number(drawing.getAttribute('width'))
    const whole = wholeIn(drawing, current)
    const part =
      chosen === null && current.clientWidth < NARROW_PX ? partOf(drawing, lit.current, roomIn(drawing, current)) : null
    const opens = whole >= READABLE_MIN ? whole : Math.min(1, Math.max(READABLE_MIN, current.clientWidth / width))
    scale.current = chosen ?? part?.scale ?? opens
    drawing.style.width = `${width * scale.current}px`
    current.style.height = part ? `${part.height * part.scale + 2 * BESIDE_PX + 2}px` : ''
    if (part) show(drawing, current, part)
    else follow(current, lit.current)
    hideCut(current)
  }
  useEffect(() => {
    if (!drawing) return
    const now = light(drawing, states, event, before)
    const { state, words } = now
    lit.current = now
    notePause(drawing, isPaused && !states.some((each) => each.endsWith('.paused')) ? state : null)
    setStop(drawing, state)
    setWay(words.join(' → '))
    fit()
  }, [drawing, states.join(' '), event, before.join(' '), isPaused])

  useEffect(() => {
    const observer = new ResizeObserver(fit)
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [drawing, chosen])

  const zoom = (by: number) => {
    const least = Math.min(READABLE_MIN, drawing && box.current ? wholeIn(drawing, box.current) : 1)
    scale.current = Math.min(SCALE_MAX, Math.max(least, scale.current * by))
    setScale(scale.current)
  }
  const fitWhole = () => {
    if (drawing && box.current) setScale(wholeIn(drawing, box.current))
  }
  useEffect(() => {
    const wheel = (turned: WheelEvent) => {
      if (!turned.ctrlKey) return
      turned.preventDefault()
      zoom(turned.deltaY < 0 ? STEP : 1 / STEP)
    }
    // Passive otherwise: then the whole page would be enlarged.
    box.current?.addEventListener('wheel', wheel, { passive: false })
    const scrolled = () => box.current && hideCut(box.current)
    box.current?.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      box.current?.removeEventListener('wheel', wheel)
      box.current?.removeEventListener('scroll', scrolled)
    }
  }, [])
  const drag = (moved: PointerEvent) => {
    if (moved.buttons === 1 && moved.pointerType === 'mouse') box.current?.scrollBy(-moved.movementX, -moved.movementY)
  }
  return (
    <div class="chart">
      {/* biome-ignore lint/a11y/useSemanticElements: no set of fields */}
      <div class="zoom" role="group" aria-label="Zoom">
        <button type="button" class="plain" aria-label="Zoom in" onClick={() => zoom(STEP)}>
          +
        </button>
        <button type="button" class="plain" aria-label="Zoom out" onClick={() => zoom(1 / STEP)}>
          −
        </button>
        <button type="button" class="plain" aria-label="Fit the drawing" onClick={fitWhole}>
          Fit
        </button>
        <button type="button" class="plain" aria-label="Zoom to the current state" onClick={() => setScale(1)}>
          Current state
        </button>
        {/* On an arrow it might cover a state. */}
        <span class="way quiet" title={way}>
          {way}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: what scrolls can be reached by keyboard */}
      <div
        ref={box}
        class="drawing"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
        tabIndex={0}
        role="region"
        aria-label="Statechart"
        data-kind={kind}
        onPointerMove={drag}
        onKeyDown={(event) => drawing && moveFocus(drawing, event)}
      />
    </div>
  )
}

/** Two bars in the corner of the state that a task is paused in. */
const BARS = 'M-4-4v8M3-4v8'

function notePause(drawing: SVGElement, state: Element | null): void {
  drawing.querySelector('.pause')?.remove()
  for (const other of drawing.querySelectorAll('.state[aria-label$="(paused)"]'))
    other.setAttribute('aria-label', other.querySelector('.key')?.textContent ?? '')
  const rect = state?.querySelector('rect')
  if (!state || !rect) return
  const [x, y, width] = ['x', 'y', 'width'].map((side) => Number(rect.getAttribute(side))) as [number, number, number]
  const badge = document.createElementNS(rect.namespaceURI, 'g')
  badge.setAttribute('class', 'pause')
  badge.setAttribute('transform', `translate(${x + width} ${y})`)
  badge.innerHTML = `<circle r="9"/><path d="${BARS}"/>`
  state.append(badge)
  state.setAttribute('aria-label', `${state.querySelector('.key')?.textContent} (paused)`)
}

/** What a box has room for, which is as high as the window lets it be. */
function roomIn(drawing: SVGElement, box: HTMLElement): Size {
  const { marginTop, marginBottom } = getComputedStyle(drawing)
  const margins = Number.parseFloat(marginTop) + Number.parseFloat(marginBottom)
  return { width: box.clientWidth, height: Number.parseFloat(getComputedStyle(box).maxHeight) - margins - 2 }
}

/** The scale at which a drawing is seen whole in its box; never enlarged. */
function wholeIn(drawing: SVGElement, box: HTMLElement): number {
  const [width, height] = ['width', 'height'].map((side) => Number(drawing.getAttribute(side))) as [number, number]
  const room = roomIn(drawing, box)
  return Math.min(1, room.width / width, room.height / height)
}

type Size = Readonly<Record<'width' | 'height', number>>
/** A part of a drawing, in its own units. */
type Place = Size & Readonly<Record<'x' | 'y', number>>

/** Of a state, or of words. */
function placeOf(part: Element): Place {
  const rect = part.querySelector('rect')
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((side) => Number(rect?.getAttribute(side)))
  return { x, y, width, height } as Place
}

function around(places: readonly Place[]): Place {
  const [x, y] = [Math.min(...places.map((each) => each.x)), Math.min(...places.map((each) => each.y))]
  const right = Math.max(...places.map((each) => each.x + each.width))
  const bottom = Math.max(...places.map((each) => each.y + each.height))
  return { x, y, width: right - x, height: bottom - y }
}

/**
 * What a narrow box opens with: the group of the current state as a whole, or else the state, with where it came from, the
 * words of its arrows and the states around it as far as there is room for them in letters of this size.
 */
function partOf(
  drawing: SVGElement,
  { state, source, around: others }: Lit,
  room: Size,
): (Place & { scale: number }) | null {
  if (!state) return null
  const whole = Number(drawing.getAttribute('height'))
  const scaleOf = ({ width, height }: Size) =>
    Math.min(1, room.width / (width + 2), (room.height - 2 * BESIDE_PX) / height)
  const path = state.getAttribute('data-state') ?? ''
  const group = drawing.querySelector(`.composite[data-state="${path.slice(0, Math.max(0, path.lastIndexOf('.')))}"]`)
  const words = [...drawing.querySelectorAll(SEEN_WORDS)]
  const taken = words.filter((each) => each.matches('.on'))
  const begins = group && scaleOf(placeOf(group)) >= READABLE_MIN ? group : state
  const least = state.matches('.final') ? END_MIN : READABLE_MIN
  let part = placeOf(begins)
  for (const more of [source ? [source] : [], taken, words, others]) {
    const larger = around([part, ...more.map(placeOf)])
    if (scaleOf(larger) >= least) part = larger
  }
  const scale = state.matches('.final') ? END_MIN : scaleOf(part)
  const height = Math.min(whole, Math.max(part.height, PART_MIN_PX / scale))
  const y = Math.max(0, Math.min(whole - height, part.y - (height - part.height) / 2))
  return { ...part, y, height, scale }
}

/** Brings a part of a drawing into the middle of its box. */
function show(
  drawing: SVGElement,
  box: HTMLElement,
  { x, y, width, height, scale }: Place & { readonly scale: number },
): void {
  const [left = 0, top = 0] = (drawing.getAttribute('viewBox') ?? '').split(' ').map(Number)
  const [inner, outer] = [drawing.getBoundingClientRect(), box.getBoundingClientRect()]
  box.scrollBy(
    inner.left + (x + width / 2 - left) * scale - outer.left - outer.width / 2,
    inner.top + (y + height / 2 - top) * scale - outer.top - outer.height / 2,
  )
}

const SEEN_WORDS = '.words:is(.on, .next)'

/** Words and names that the edge of the box would cut are not seen until they are in it as a whole. */
function hideCut(box: HTMLElement): void {
  const outer = box.getBoundingClientRect()
  const words = [...box.querySelectorAll(`${SEEN_WORDS}, .state text, .anywhere text`)]
  const areCut = words.map((each) => !isWithin(each.getBoundingClientRect(), outer))
  for (const [index, each] of words.entries()) each.classList.toggle('cut', areCut[index])
}

/** As far as can be seen: places are rounded. */
const isWithin = (inner: DOMRect, outer: DOMRect): boolean =>
  inner.left > outer.left - 1 &&
  inner.right < outer.right + 1 &&
  inner.top > outer.top - 1 &&
  inner.bottom < outer.bottom + 1

/**
 * Brings a lit state that is out of sight, or at its edge, into the middle, with the words of its arrows and the states
 * around it as far as there is room for them all.
 */
function follow(box: HTMLElement, { state, around }: Lit): void {
  if (!state) return
  const inner = state.getBoundingClientRect()
  const outer = box.getBoundingClientRect()
  const [beside, above] = [outer.width * AROUND_PART, outer.height * AROUND_PART]
  const isSeen =
    inner.left >= outer.left + beside &&
    inner.right <= outer.right - beside &&
    inner.top >= outer.top + above &&
    inner.bottom <= outer.bottom - above
  const words = [...box.querySelectorAll(SEEN_WORDS)]
  const taken = words.filter((each) => each.matches('.on'))
  if (isSeen && taken.every((each) => isWithin(each.getBoundingClientRect(), outer))) return
  const placesOf = (what: readonly Element[]) => [state, ...what].map((each) => each.getBoundingClientRect())
  const wanted = [[...around, ...words], words, taken, ...taken.map((each) => [each]), around].map(placesOf)
  const middleOf = (least: 'left' | 'top', most: 'right' | 'bottom', room: number) => {
    for (const places of wanted) {
      const [from, to] = [Math.min(...places.map((each) => each[least])), Math.max(...places.map((each) => each[most]))]
      if (to - from + 2 * BESIDE_PX <= room) return (from + to) / 2
    }
    return (inner[least] + inner[most]) / 2
  }
  box.scrollBy(
    middleOf('left', 'right', outer.width) - outer.left - outer.width / 2,
    middleOf('top', 'bottom', outer.height) - outer.top - outer.height / 2,
  )
}
