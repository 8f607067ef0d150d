import { useEffect, useRef, useState } from '../view.ts'
import { moveFocus, setStop } from './chart-parts.ts'
import { drawingOf } from './drawings.ts'
import { light } from './light.ts'

const STEP = 1.4
const SCALE_MAX = 8
/** A drawing that is shrunk more than this is an overview. */
const OVERVIEW_MAX = 1.6
/** One that is shrunk more than this, as on a phone, names its groups and the current state alone. */
const FAR_MAX = 4
/** It opens shrunk so much instead: the names of the current state and of those around it are readable. */
const NEAR = 2
/** How far below the top of its box a state has its name, as it was drawn. */
const NAME_PX = 23
/** What is left on either side of a name in its box, as drawn. */
const BESIDE_NAME_PX = 10
/** What is left between a box that was widened and the middle to its neighbour. */
const BETWEEN_PX = 5
/** What is seen around the current state, where the drawing goes on. */
const AROUND_PX = 24

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
 * by dragging; also by keyboard: it scrolls. It opens with the current state in sight, and follows it.
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

  const lit = useRef<Element | null>(null)
  const scale = useRef(1)
  const fit = () => {
    const { current } = box
    if (!drawing || !current) return
    const own = Number(drawing.getAttribute('width'))
    const fitting = fittingWidth(drawing, current)
    const most = own / fitting
    scale.current = chosen ?? (most > FAR_MAX && lit.current ? most / NEAR : 1)
    drawing.style.width = `${fitting * scale.current}px`
    drawing.style.maxWidth = 'none'
    // Names of states are readable in the overview, too.
    const shrunk = most / scale.current
    drawing.style.setProperty('--shrunk', shrunk.toFixed(2))
    // What would be too small to read is left out there: the names stay, in the middle of their boxes.
    const isOverview = shrunk > OVERVIEW_MAX
    drawing.classList.toggle('overview', isOverview)
    drawing.classList.toggle('far', shrunk > FAR_MAX)
    placeNames(drawing, isOverview)
    follow(current, lit.current)
  }
  useEffect(() => {
    if (!drawing) return
    const { state, words } = light(drawing, states, event, before)
    lit.current = state
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

  /** The state at its own size, in the middle. */
  const zoomToState = () => {
    if (!drawing || !box.current) return
    setScale(Math.max(1, Number(drawing.getAttribute('width')) / fittingWidth(drawing, box.current)))
  }
  const zoom = (by: number) => {
    scale.current = Math.min(SCALE_MAX, Math.max(1, scale.current * by))
    setScale(scale.current)
  }
  useEffect(() => {
    const wheel = (turned: WheelEvent) => {
      if (!turned.ctrlKey) return
      turned.preventDefault()
      zoom(turned.deltaY < 0 ? STEP : 1 / STEP)
    }
    // Passive otherwise: then the whole page would be enlarged.
    box.current?.addEventListener('wheel', wheel, { passive: false })
    return () => box.current?.removeEventListener('wheel', wheel)
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
        <button type="button" class="plain" aria-label="Fit the drawing" onClick={() => setScale(1)}>
          Fit
        </button>
        <button type="button" class="plain" aria-label="Zoom to the current state" onClick={zoomToState}>
          State
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

const PAUSED = ' (paused)'

/** Says beside the name of a state that its task is paused in it. */
function notePause(drawing: SVGElement, state: Element | null): void {
  for (const name of drawing.querySelectorAll('.key')) {
    const words = (name.textContent ?? '').replace(PAUSED, '')
    const own = name.parentElement === state ? `${words}${PAUSED}` : words
    if (name.textContent !== own) name.textContent = own
  }
}

/** As wide as a drawing is to be seen whole in its box, which is as high as the window lets it be; never enlarged. */
function fittingWidth(drawing: SVGElement, box: HTMLElement): number {
  const [width, height] = ['width', 'height'].map((side) => Number(drawing.getAttribute(side))) as [number, number]
  const { marginTop, marginBottom } = getComputedStyle(drawing)
  const margins = Number.parseFloat(marginTop) + Number.parseFloat(marginBottom)
  const room = Number.parseFloat(getComputedStyle(box).maxHeight) - margins - 2
  return Math.max(1, Math.min(width, box.clientWidth, (room * width) / height))
}

/**
 * Names are where the words below them leave them room; without those words they are in the middle of their box, which is
 * widened for a long one as far as its neighbours allow; one that is longer is smaller.
 */
function placeNames(drawing: SVGElement, inTheMiddle: boolean): void {
  const boxes = [...drawing.querySelectorAll<SVGRectElement>('.state:not(.composite) > rect:first-of-type')]
  const drawn = boxes.map(drawnSides)
  const drawingWidth = Number(drawing.getAttribute('width'))
  boxes.forEach((box, index) => {
    const name = box.parentElement?.querySelector<SVGTextElement>('.key')
    const sides = drawn[index]
    if (!name || !sides) return
    const [left, top, width, height] = sides
    name.setAttribute('y', String(inTheMiddle ? top + height / 2 : top + NAME_PX))
    name.toggleAttribute('data-middle', inTheMiddle)
    name.style.fontSize = ''
    const long = name.getComputedTextLength()
    const needed = inTheMiddle ? Math.max(width, long + 2 * BESIDE_NAME_PX) : width
    const wide = Math.min(needed, width + 2 * besideOf(sides, drawn, drawingWidth))
    if (wide < needed) {
      const part = (wide - 2 * BESIDE_NAME_PX) / long
      name.style.fontSize = `${Number.parseFloat(getComputedStyle(name).fontSize) * part}px`
    }
    box.setAttribute('x', String(left - (wide - width) / 2))
    box.setAttribute('width', String(wide))
    // The second frame of a final state keeps its distance.
    const ring = box.parentElement?.querySelector<SVGRectElement>('.ring')
    if (!ring) return
    const inset = drawnSides(ring)[0] - left
    ring.setAttribute('x', String(left - (wide - width) / 2 + inset))
    ring.setAttribute('width', String(wide - 2 * inset))
  })
}

type Sides = readonly [left: number, top: number, width: number, height: number]

/** How much room a box has on either side for itself: half of what lies between it and the next one, or up to the edge. */
function besideOf(sides: Sides, all: readonly Sides[], drawingWidth: number): number {
  const [left, top, width, height] = sides
  const gaps = all.flatMap((other) => {
    const isBeside = other !== sides && other[1] < top + height && other[1] + other[3] > top
    return isBeside ? [other[0] > left ? other[0] - left - width : left - other[0] - other[2]] : []
  })
  const edge = 2 * Math.min(left, drawingWidth - left - width)
  return Math.max(0, Math.min(edge, ...gaps) / 2 - BETWEEN_PX)
}

/** Left, top, width and height of a box as it was drawn. */
function drawnSides(box: SVGRectElement): Sides {
  box.dataset.drawn ??= ['x', 'y', 'width', 'height'].map((side) => box.getAttribute(side)).join(' ')
  return box.dataset.drawn.split(' ').map(Number) as unknown as Sides
}

/** Brings a lit state that is out of sight, or at its edge, into the middle. */
function follow(box: HTMLElement, state: Element | null): void {
  if (!state) return
  const inner = state.getBoundingClientRect()
  const outer = box.getBoundingClientRect()
  const isSeen =
    inner.left >= outer.left + AROUND_PX &&
    inner.right <= outer.right - AROUND_PX &&
    inner.top >= outer.top + AROUND_PX &&
    inner.bottom <= outer.bottom - AROUND_PX
  if (isSeen) return
  box.scrollBy(
    inner.left + inner.width / 2 - outer.left - outer.width / 2,
    inner.top + inner.height / 2 - outer.top - outer.height / 2,
  )
}
