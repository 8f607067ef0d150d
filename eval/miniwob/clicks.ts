import { linesOf, refIn } from '../harness/hands.ts'
import { Unsolved } from '../harness/task.ts'
import { escaped, named, nth, ordinal, type Solver, said, submit } from './helpers.ts'

const quoted = /"\s*(.+?)\s*"/

const clickNamed =
  (pattern: RegExp, role = ''): Solver =>
  (s, { tree, words }) =>
    s.click(refIn(tree, named(said(words, pattern), role)) ?? named(said(words, pattern), role))

const inOrder: Solver = async (s, { tree, words }) => {
  for (const name of words.match(/\b(ONE|TWO)\b/g)?.slice(0, 2) ?? []) {
    const seconds = /wait (\d+) seconds/.exec(words)?.[1]
    // The click itself takes its time, too.
    if (name === 'TWO' && seconds !== undefined) await s.wait(Number(seconds) - 0.3)
    await s.click(refIn(tree, named(name, 'button')) ?? named(name, 'button'))
  }
  return tree
}

const checkboxes: Solver = async (s, { tree, words }) => {
  const wanted = said(words, /Select (.+?) and click Submit/)
  for (const name of wanted === 'nothing' ? [] : wanted.split(', ')) {
    await s.click(refIn(tree, named(name, 'checkbox')) ?? named(name, 'checkbox'))
  }
  return submit(s, 'Submit', tree)
}

/** Opens one section or tab after the other until the wanted link is there. */
const amongTabs: Solver = async (s, { words }) => {
  const name = said(words, /the link "(.+?)"/)
  const link = new RegExp(`(?<!tab )"${escaped(name)}" \\[`)
  for (let tab = 1; tab <= 6; tab += 1) {
    const tree = await s.look()
    if (/"START"/.test(tree)) return
    const ref = refIn(
      tree
        .split('\n')
        .filter((line) => !/text "/.test(line))
        .join('\n'),
      link,
    )
    if (ref !== null) return s.click(ref)
    await s.click(nth(tree, /\btab "/, tab))
    await s.wait(0.6)
  }
  throw new Unsolved(`no section has the link "${name}"`)
}

const collapsible: Solver = async (s, { tree }) => {
  await s.click(nth(tree, /\btab "Section/, 1))
  await s.wait(0.8)
  // The accordion takes the button for a header of its own, and gives it that role.
  return s.click(/(button|tab) "Submit"/)
}

const menu: Solver = async (s, { words }) => {
  const path = said(words, /Select ([\w>]+)/).split('>')
  for (const [at, name] of path.entries()) {
    const item = named(name, 'menuitem')
    await (at === path.length - 1 ? s.click(item) : s.hover(item))
    await s.wait(0.5)
  }
}

const menuTwo: Solver = async (s, { words }) => {
  const wanted = said(words, /labeled "(.+?)"/)
  const opened = await s.click(named('Menu', 'button'))
  const tree = /menuitem/.test(opened) ? opened : await s.look()
  if (refIn(tree, named(wanted, 'menuitem')) !== null) return s.click(named(wanted, 'menuitem'))
  await s.hover(named('Playback', 'menuitem'))
  await s.wait(0.6)
  return s.click(named(wanted, 'menuitem'))
}

const widget: Solver = (s, { tree, words }) => {
  const kind = said(words, /Click on a "(\w+)" widget/)
  const roles: Readonly<Record<string, RegExp>> = {
    radio: /\bradio /,
    checkbox: /\bcheckbox /,
    button: /\bbutton /,
    text: /\btextbox /,
    textarea: /\btextbox .*multiline|textarea/,
  }
  const line = roles[kind] ?? /none/
  if (kind === 'text') {
    const one = linesOf(tree, line).find(({ line }) => !/multiline/.test(line))
    return s.click(one?.ref ?? line)
  }
  return s.click(line)
}

const grid: Solver = (s, { tree, words }) => {
  const [x = 0, y = 0] = said(words, /coordinate \((-?\d,-?\d)\)/)
    .split(',')
    .map(Number)
  // Circles are drawn column by column, each from above.
  const circles = linesOf(tree, /graphics-symbol|clickable|circle/).filter(({ ref }) => ref !== null)
  const ref = circles.slice(-25)[(x + 2) * 5 + (2 - y)]?.ref
  if (!ref) throw new Unsolved(`only ${circles.length} points have references`)
  return s.click(ref)
}

const tree: Solver = async (s, { words }) => {
  const name = said(words, /named "(.+?)"/)
  const opened = new Set<string>()
  for (let turn = 0; turn < 12; turn += 1) {
    const seen = await s.look()
    const lines = seen.split('\n')
    // A folder's line has a name of its own, or the name is a text inside the line with the reference.
    const at = lines.findIndex(
      (line, index) => index > 1 && !/named/.test(line) && new RegExp(`"${escaped(name)}"`).test(line),
    )
    const ref = at < 0 ? null : (refIn(lines[at] ?? '', /./) ?? refIn(lines[at - 1] ?? '', /./))
    if (ref !== null) return s.click(ref)
    const folder = linesOf(seen, /clickable "\w+"|"\w+" \[.*(collapsed|expandable)/).find(
      ({ line }) => !opened.has(line),
    )
    if (!folder?.ref) throw new Unsolved(`no folder left: ${seen}`)
    opened.add(folder.line)
    await s.click(folder.ref)
    await s.wait(0.4)
  }
  throw new Unsolved(`"${name}" was not found`)
}

const oddOrEven: Solver = async (s, { tree }) => {
  const lines = tree.split('\n')
  for (const [at, line] of lines.entries()) {
    const number = /^\s*(?:text|clickable|generic) "(-?\d+)"/.exec(line)?.[1]
    if (number === undefined) continue
    const odd = Math.abs(Number(number)) % 2 === 1
    const part = odd ? lines.slice(0, at).reverse() : lines.slice(at + 1)
    const ref = refIn(part.join('\n'), odd ? named('Odd', 'button') : named('Even', 'button'))
    if (ref === null) throw new Unsolved(`no button for ${number}`)
    await s.click(ref)
  }
  return submit(s, 'Submit', tree)
}

const ticket: Solver = (s, { tree, words }) => {
  const amounts = /price|cost|cheap|expensive/i.test(words.slice(0, 60))
    ? [...words.matchAll(/\$(\d+)/g)].map(([, dollars]) => Number(dollars))
    : [...words.matchAll(/Duration: (\d+)h (\d+)m/g)].map(([, h, m]) => Number(h) * 60 + Number(m))
  const best = /most expensive|longest|highest/.test(words) ? Math.max(...amounts) : Math.min(...amounts)
  return s.click(nth(tree, /button "Book for/, amounts.indexOf(best) + 1))
}

/** Cards show their numbers only when they are clicked. */
const greatest: Solver = async (s, { tree }) => {
  const cards = linesOf(tree, /^\s*clickable .*\[/).filter(({ line }) => !/Submit/.test(line))
  const values: number[] = []
  for (const { ref } of cards) {
    await s.click(ref ?? '')
    const shown = linesOf(await s.look(), /"\d+"/).map(({ line }) => Number(/"(\d+)"/.exec(line)?.[1]))
    values.push(shown[shown.length === cards.length ? values.length : 0] ?? -1)
  }
  const best = cards[values.indexOf(Math.max(...values))]
  if (!best?.ref) throw new Unsolved(`no cards: ${tree}`)
  await s.click(best.ref)
  return submit(s, 'Submit', tree)
}

/** After the first click the numbers are hidden: what is left keeps its order. */
const ascending: Solver = async (s, { tree }) => {
  await s.click(nth(tree, /"1" \[/, 1))
  const hidden = linesOf(await s.look(), /graphics-symbol|image|clickable|rect/).filter(({ ref }) => ref !== null)
  for (const { ref } of hidden.slice(0, 4)) await s.click(ref ?? '')
}

export const CLICKS: Readonly<Record<string, Solver>> = {
  'click-test': (s) => s.click(named('Click Me!', 'button')),
  'click-test-2': clickNamed(/button (ONE|TWO)/, 'button'),
  'click-test-transfer': clickNamed(/button (ONE|TWO)/, 'button'),
  'click-button': clickNamed(quoted, 'button'),
  'unicode-test': clickNamed(quoted, 'button'),
  'click-button-sequence': inOrder,
  'button-delay': inOrder,
  'click-link': (s, { tree, words }) =>
    s.click(nth(tree, new RegExp(`(clickable|link)[^"]*"${escaped(said(words, quoted))}"`), 1)),
  'click-checkboxes': checkboxes,
  'click-checkboxes-large': checkboxes,
  'click-checkboxes-transfer': checkboxes,
  'click-option': async (s, { tree, words }) => {
    await s.click(named(said(words, /Select (.+?) and click/), 'radio'))
    return submit(s, 'Submit', tree)
  },
  'click-dialog': (s) => s.click(named('Close', 'button')),
  'click-dialog-2': (s, { words }) => {
    const label = said(words, /labeled "(.+?)"/)
    return s.click(named(label === 'x' ? 'Close' : label, 'button'))
  },
  'click-tab': (s, { words }) => s.click(new RegExp(`\\btab "${said(words, /Click on (Tab #\d+)/)}"`)),
  'click-tab-2': amongTabs,
  'click-tab-2-easy': amongTabs,
  'click-tab-2-medium': amongTabs,
  'click-tab-2-hard': amongTabs,
  'click-collapsible': collapsible,
  'click-collapsible-nodelay': collapsible,
  'click-collapsible-2': amongTabs,
  'click-collapsible-2-nodelay': amongTabs,
  'click-menu': menu,
  'click-menu-2': menuTwo,
  'click-widget': widget,
  'focus-text': (s) => s.click(/textbox/),
  'focus-text-2': (s, { tree, words }) => s.click(nth(tree, /textbox/, ordinal(said(words, /the (\d)\w\w input/)))),
  'grid-coordinate': grid,
  'navigate-tree': tree,
  'odd-or-even': oddOrEven,
  'buy-ticket': ticket,
  'find-greatest': greatest,
  'ascending-numbers': ascending,
}
