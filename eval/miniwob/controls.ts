import { type Hands, linesOf } from '../harness/hands.ts'
import { Unsolved } from '../harness/task.ts'
import { around, named, nth, ordinal, type Solver, said, submit, wordsOf } from './helpers.ts'

/** jQuery UI's slider handle, moved by the keyboard to a value. */
async function slideBy(s: Hands, handle: string, by: number): Promise<void> {
  await s.click(handle)
  const keys = { more: 'ArrowRight', less: 'ArrowLeft' }
  if (by !== 0) {
    for (let left = Math.abs(by); left > 0; left -= 50) {
      await s.call('computer', { action: 'key', text: by > 0 ? keys.more : keys.less, repeat: Math.min(50, left) })
    }
  }
}

const HANDLE = /^\s*\*?\s*(slider|generic|clickable( \[\w+\])?( focused)? class=(ui-slider-)?handle)\b/

const handles = (tree: string): string[] => {
  const found = linesOf(tree, HANDLE).filter(({ ref }) => ref !== null)
  if (found.length === 0) throw new Unsolved(`no handle: ${tree}`)
  return found.map(({ ref }) => ref ?? '')
}

/** The number that the page shows after the nth handle. */
const shownValue = (tree: string, n = 0): number => {
  const lines = tree.split('\n')
  const at = lines.flatMap((line, index) => (HANDLE.test(line) ? [index] : []))[n] ?? 0
  return Number(/"(-?\d+)/.exec(lines.slice(at + 1).join('\n'))?.[1] ?? Number.NaN)
}

const slider: Solver = async (s, { tree, words }) => {
  const wanted = Number(said(words, /Select (-?\d+) with/))
  const [handle = ''] = handles(tree)
  // The click that gives it the focus may move it by itself.
  await s.click(handle)
  await slideBy(s, handle, wanted - shownValue(await s.look()))
  return submit(s)
}

const dragTo: Solver = async (s, { tree, words }) => {
  const [, name = '', where = ''] = /Drag (\w+) (.+?)\./.exec(words) ?? []
  const items = linesOf(tree, /text "\w+"|listitem "\w+"|clickable "\w+"/).map(
    ({ line }) => /"(\w+)"/.exec(line)?.[1] ?? '',
  )
  const at = items.indexOf(name)
  const grid: Readonly<Record<string, number>> = {
    'top left': 0,
    'top center': 1,
    'top right': 2,
    left: 3,
    center: 4,
    right: 5,
    'bottom left': 6,
    'bottom center': 7,
    'bottom right': 8,
  }
  const position = /(\d)\w\w position/.exec(where)?.[1]
  const place =
    /bottom$/.test(where) && !/bottom (left|right|center)/.test(where)
      ? items.length - 1
      : Object.entries(grid).find(([words]) => new RegExp(`to the ${words}$`).test(where))?.[1]
  const to =
    position !== undefined
      ? Number(position) - 1
      : /up/.test(where)
        ? at - 1
        : /down/.test(where)
          ? at + 1
          : (place ?? -1)
  const target = items[to]
  if (at < 0 || target === undefined) throw new Unsolved(`where to? ${where}`)
  return s.drag(await around(s, tree, name), await around(s, tree, target))
}

const sortNumbers: Solver = async (s) => {
  for (let turn = 0; turn < 12; turn += 1) {
    const tree = await s.look()
    const values = linesOf(tree, /"-?\d+"/).map(({ line }) => Number(/"(-?\d+)"/.exec(line)?.[1]))
    const wrong = values.findIndex((value, at) => at > 0 && value < (values[at - 1] ?? value))
    if (wrong < 0) return submit(s)
    const to = values.findIndex((value) => value > (values[wrong] ?? 0))
    await s.drag(await around(s, tree, `"${values[wrong]}"`), await around(s, tree, `"${values[to]}"`))
  }
  throw new Unsolved('not sorted after 12 drags')
}

const guess: Solver = async (s, { tree }) => {
  let [low, high] = [0, 9]
  for (let turn = 0; turn < 6; turn += 1) {
    const middle = Math.floor((low + high) / 2)
    await s.fill(nth(tree, /spinbutton|textbox/, 1), middle)
    await submit(s, 'Submit', tree)
    const words = wordsOf(await s.look())
    if (new RegExp(`higher than ${middle}`).test(words)) low = middle + 1
    else if (new RegExp(`lower than ${middle}`).test(words)) high = middle - 1
    else return
  }
}

const generate: Solver = async (s, { tree, words }) => {
  const limit = Number(/(-?\d+), then press/.exec(words)?.[1])
  const fits = (n: number) =>
    /greater/.test(words)
      ? n > limit
      : /less/.test(words)
        ? n < limit
        : /odd/.test(words)
          ? Math.abs(n) % 2 === 1
          : n % 2 === 0
  for (let turn = 0; turn < 60; turn += 1) {
    await s.click(named('Generate', 'button'))
    const shown = /submit\. (-?\d+)/.exec(wordsOf(await s.look()))?.[1]
    if (shown !== undefined && fits(Number(shown))) return submit(s, 'Submit', tree)
  }
  throw new Unsolved('no number that fits')
}

const highlight =
  (which: (words: string) => number): Solver =>
  async (s, { tree, words }) => {
    // What the page says beside the task and its own display.
    const own = /Highlight the|Last|average|Time left|Episodes|^-$|Submit|^\d/
    const texts = [...tree.slice(tree.indexOf('\n')).matchAll(/"((?:[^"\\]|\\.)+)"/g)].map(([, text = '']) => text)
    const text = texts.map((each) => each.replace(/ Last reward.*/, '')).filter((each) => !own.test(each))[
      which(words) - 1
    ]
    if (text === undefined) throw new Unsolved(`no such paragraph: ${tree}`)
    await s.click(await around(s, tree, text.slice(0, 25)), { count: 3 })
    return submit(s)
  }

const ticTacToe: Solver = async (s) => {
  const lines = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
  ]
  const refs = linesOf(await s.look(), /\[f?\d*e\d+\]/)
    .map(({ ref }) => ref ?? '')
    .slice(-9)
  const mine = new Set<number>()
  for (let turn = 0; turn < 6; turn += 1) {
    const tree = await s.look()
    if (/Episodes done: 1/.test(tree)) return
    const cells = refs.map(
      (ref) =>
        /"([xo])"/i.exec(tree.split('\n').find((line) => line.includes(`[${ref}]`)) ?? '')?.[1]?.toUpperCase() ?? '',
    )
    const free = (at: number) => cells[at] === '' && !mine.has(at)
    const completes = (sign: string) =>
      lines.flatMap((line) => (line.filter((at) => cells[at] === sign).length === 2 ? line.filter(free) : []))[0]
    const move = completes('X') ?? completes('O') ?? [4, 0, 2, 6, 8, 1, 3, 5, 7].find(free)
    if (move === undefined) return
    mine.add(move)
    await s.click(refs[move] ?? '')
    await s.wait(0.3)
  }
}

export const CONTROLS: Readonly<Record<string, Solver>> = {
  'use-slider': slider,
  'use-slider-2': async (s, { words }) => {
    const wanted = said(words, /\[([-\d,]+)\]/)
      .split(',')
      .map(Number)
    for (const [at, value] of wanted.entries()) {
      const handle = handles(await s.look())[at] ?? ''
      await s.click(handle)
      await slideBy(s, handle, value - shownValue(await s.look(), at))
    }
    return submit(s)
  },
  'form-sequence': async (s, { words }) => {
    const wanted = Number(said(words, /Select (-?\d+) with/))
    const [handle = ''] = handles(await s.look())
    await s.click(handle)
    await slideBy(s, handle, wanted - shownValue(await s.look()))
    await s.click(nth(await s.look(), /checkbox/, ordinal(said(words, /click the (\d)\w\w checkbox/))))
    return submit(s)
  },
  'use-spinner': async (s, { tree, words }) => {
    await s.fill(nth(tree, /spinbutton/, 1), Number(said(words, /Select (-?\d+) with/)))
    return submit(s)
  },
  'click-scroll-list': async (s, { tree, words }) => {
    for (const [at, name] of said(words, /Select (.+?) from the scroll list/)
      .split(', ')
      .entries()) {
      await s.click(await s.ref(named(name, 'option'), tree), at > 0 ? { modifiers: 'ctrl' } : {})
    }
    return submit(s, 'Submit', tree)
  },
  'scroll-text-2': async (s, { tree, words }) => {
    await s.click(nth(tree, /textbox/, 1))
    await s.press(/to the bottom/.test(words) ? 'ctrl+End' : 'ctrl+Home')
    return submit(s, 'Submit', tree)
  },
  'drag-items': dragTo,
  'drag-items-grid': dragTo,
  'drag-sort-numbers': sortNumbers,
  'drag-box': async (s, { tree }) => {
    await s.drag(nth(tree, /"s"/, 1), nth(tree, /"L"/, 1))
    return submit(s, 'Submit', tree)
  },
  'guess-number': guess,
  'generate-number': generate,
  'highlight-text': highlight(() => 1),
  'highlight-text-2': highlight((words) => ordinal(said(words, /the (\d)\w\w paragraph/))),
  'tic-tac-toe': ticTacToe,
}
