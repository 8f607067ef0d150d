import { light } from './drawing.js'
import { byId } from './format.ts'
import { zoomable } from './zoom.ts'

/** Plays the moves of a finished task on its drawing, with the picture of that moment. */
const MOVE_MS = 600
const slider = /** @type {HTMLInputElement} */ (byId('position'))
const drawing = byId('drawing')
const shot = /** @type {HTMLImageElement} */ (byId('shot'))
const folder =
  /** @type {HTMLElement | null} */ (document.querySelector('[data-screenshots]'))?.dataset.screenshots ?? ''
const moves = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.move')])
/** @type {ReturnType<typeof setInterval> | null} */
let playing = null

/** @param {number} index */
function show(index) {
  const at = Math.min(Math.max(0, index), moves.length - 1)
  const move = moves[at]
  if (!move) return
  slider.value = String(at)
  history.replaceState(null, '', `#${at}`)
  const states = (move.dataset.states ?? '').split(' ')
  light(drawing, states, move.dataset.event ?? '', (moves[at - 1]?.dataset.states ?? '').split(' ').filter(Boolean))
  byId('said').textContent = `${at + 1} of ${moves.length}: ${states.at(-1)}`
  for (const other of moves) other.toggleAttribute('aria-current', other === move)
  const list = byId('moves')
  list.scrollTop = move.offsetTop - list.offsetTop - list.clientHeight / 2
  picture(move.dataset.shot ?? '')
}

/** @param {string} number */
function picture(number) {
  byId('no-shot').hidden = number !== ''
  shot.hidden = number === ''
  if (number === '' || shot.dataset.number === number) return
  shot.dataset.number = number
  shot.src = folder + number
  shot.alt = 'What the browser showed then'
}

function play() {
  if (playing !== null) return stop()
  if (Number(slider.value) >= moves.length - 1) show(0)
  byId('play').textContent = 'Stop'
  playing = setInterval(() => {
    show(Number(slider.value) + 1)
    if (Number(slider.value) >= moves.length - 1) stop()
  }, MOVE_MS)
}

function stop() {
  if (playing !== null) clearInterval(playing)
  playing = null
  byId('play').textContent = 'Play'
}

byId('play').addEventListener('click', play)
byId('back').addEventListener('click', () => {
  stop()
  show(Number(slider.value) - 1)
})
byId('on').addEventListener('click', () => {
  stop()
  show(Number(slider.value) + 1)
})
slider.addEventListener('input', () => {
  stop()
  show(Number(slider.value))
})
for (const [index, move] of moves.entries()) {
  move.addEventListener('click', () => {
    stop()
    show(index)
  })
}
/** The address names the moment. */
const named = () => Math.min(moves.length - 1, Math.max(0, Number(location.hash.slice(1)) || 0))
addEventListener('hashchange', () => show(named()))
zoomable(drawing)
show(named())
