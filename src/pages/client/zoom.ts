import { element } from './format.ts'

const STEP = 1.4
const SCALE_MAX = 8

/** A drawing that is enlarged by buttons, or by the wheel with Ctrl, and moved by dragging; also by keyboard: it scrolls. */
export function zoomable(drawing: HTMLElement): void {
  let scale = 1
  const apply = () => {
    const svg = drawing.querySelector('svg')
    if (!svg) return
    svg.style.width = scale === 1 ? '' : `${scale * 100}%`
    svg.style.maxWidth = scale === 1 ? '' : 'none'
  }
  /** What is in the middle stays there. */
  const zoom = (to: number) => {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = drawing
    const by = Math.min(SCALE_MAX, Math.max(1, to)) / scale
    scale *= by
    apply()
    drawing.scrollTo(
      (scrollLeft + clientWidth / 2) * by - clientWidth / 2,
      (scrollTop + clientHeight / 2) * by - clientHeight / 2,
    )
  }
  const button = (text: string, label: string, press: () => void) => {
    const made = element('button', { type: 'button', class: 'plain', 'aria-label': label }, text)
    made.addEventListener('click', press)
    return made
  }
  drawing.before(
    element(
      'div',
      { class: 'actions zoom', role: 'group', 'aria-label': 'Zoom' },
      button('+', 'Zoom in', () => zoom(scale * STEP)),
      button('−', 'Zoom out', () => zoom(scale / STEP)),
      button('Fit', 'Fit the drawing', () => zoom(1)),
    ),
  )
  drawing.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return
      event.preventDefault()
      zoom(event.deltaY < 0 ? scale * STEP : scale / STEP)
    },
    { passive: false },
  )
  drawing.addEventListener('pointermove', (event) => {
    if (event.buttons === 1 && event.pointerType === 'mouse') drawing.scrollBy(-event.movementX, -event.movementY)
  })
  // Another actor has another drawing.
  new MutationObserver(apply).observe(drawing, { childList: true })
}
