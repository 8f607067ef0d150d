import { useEffect, useRef, useState } from '../view.ts'
import { drawingOf } from './drawings.ts'
import { light } from './light.ts'

const STEP = 1.4
const SCALE_MAX = 8
/** A drawing that is shrunk more than this is an overview. */
const OVERVIEW_MAX = 1.6
/** One that is shrunk more than this, as on a phone, names its groups and the current state alone. */
const FAR_MAX = 4
/** How far below the top of its box a state has its name, as it was drawn. */
const NAME_PX = 23
/** What is left on either side of a name in a box that was widened for it. */
const BESIDE_NAME_PX = 14

interface ChartProps {
  /** The kind of actor. */
  readonly kind: string
  readonly states: readonly string[]
  /** What led to them, and from where. */
  readonly event: string
  readonly before: readonly string[]
}

/**
 * The statechart of a kind of actor, with its states lit. It is enlarged by buttons, or by the wheel with Ctrl, and moved
 * by dragging; also by keyboard: it scrolls. An enlarged drawing follows the state.
 */
export function Chart({ kind, states, event, before }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const [scale, setScale] = useState(1)
  const [drawing, setDrawing] = useState<SVGElement | null>(null)
  const [way, setWay] = useState('')

  useEffect(() => {
    let isStale = false
    void drawingOf(kind).then((svg) => {
      if (isStale) return
      const { current } = box
      current?.replaceChildren(...(svg ? [svg] : []))
      setDrawing(svg)
      setScale(1)
    })
    return () => {
      isStale = true
    }
  }, [kind])

  const lit = useRef<Element | null>(null)
  useEffect(() => {
    if (!drawing) return
    const { state, words } = light(drawing, states, event, before)
    lit.current = state
    setWay(words.join(' → '))
    placeNames(drawing, drawing.classList.contains('overview'))
    if (box.current) follow(box.current, lit.current)
  }, [drawing, states.join(' '), event, before.join(' ')])

  useEffect(() => {
    if (!drawing) return
    drawing.style.width = scale === 1 ? '' : `${scale * 100}%`
    drawing.style.maxWidth = scale === 1 ? '' : 'none'
    const fit = () => {
      // Names of states are readable in the overview, too.
      const shrunk = Number(drawing.getAttribute('width')) / Math.max(1, drawing.getBoundingClientRect().width)
      drawing.style.setProperty('--shrunk', shrunk.toFixed(2))
      // What would be too small to read is left out there: the names stay, in the middle of their boxes.
      const isOverview = shrunk > OVERVIEW_MAX
      drawing.classList.toggle('overview', isOverview)
      drawing.classList.toggle('far', shrunk > FAR_MAX)
      placeNames(drawing, isOverview)
      if (box.current) follow(box.current, lit.current)
    }
    const observer = new ResizeObserver(fit)
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [drawing, scale])

  /** The state at its own size, in the middle. */
  const zoomToState = () => {
    const own = Number(drawing?.getAttribute('width') ?? 0)
    setScale(Math.max(1, own / (box.current?.clientWidth ?? own)))
  }
  const zoom = (by: number) => setScale((before) => Math.min(SCALE_MAX, Math.max(1, before * by)))
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
      />
    </div>
  )
}

/**
 * Names are where the words below them leave them room; without those words they are in the middle of a box that is as
 * wide as they are.
 */
function placeNames(drawing: SVGElement, inTheMiddle: boolean): void {
  for (const name of drawing.querySelectorAll<SVGTextElement>('.state:not(.composite) > .key')) {
    const box = name.parentElement?.querySelector('rect')
    if (!box) continue
    const [left, top, width, height] = drawnSides(box)
    name.setAttribute('y', String(inTheMiddle ? top + height / 2 : top + NAME_PX))
    name.toggleAttribute('data-middle', inTheMiddle)
    const wide = inTheMiddle ? Math.max(width, name.getComputedTextLength() + 2 * BESIDE_NAME_PX) : width
    box.setAttribute('x', String(left - (wide - width) / 2))
    box.setAttribute('width', String(wide))
  }
}

/** Left, top, width and height of a box as it was drawn. */
function drawnSides(box: SVGRectElement): [number, number, number, number] {
  box.dataset.drawn ??= ['x', 'y', 'width', 'height'].map((side) => box.getAttribute(side)).join(' ')
  return box.dataset.drawn.split(' ').map(Number) as [number, number, number, number]
}

/** Brings a lit state that is out of sight into the middle. */
function follow(box: HTMLElement, state: Element | null): void {
  if (!state) return
  const inner = state.getBoundingClientRect()
  const outer = box.getBoundingClientRect()
  const isSeen =
    inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom
  if (isSeen || inner.width > outer.width) return
  box.scrollBy(
    inner.left + inner.width / 2 - outer.left - outer.width / 2,
    inner.top + inner.height / 2 - outer.top - outer.height / 2,
  )
}
