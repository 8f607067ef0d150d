import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AnyStateNode } from 'xstate'
import { createDrawings } from '../../../src/observe/inspector/drawings.ts'
import { MACHINES } from '../../../src/observe/inspector/machines.ts'
import { endChromium, noChromium, startChromium } from './world.ts'

const test = suite('drawings')
const drawings = createDrawings()

const within = (node: AnyStateNode): AnyStateNode[] =>
  Object.values(node.states).flatMap((each) => [each, ...within(each)])

for (const [name, machine] of Object.entries(MACHINES)) {
  test(`${name} is drawn with every state and every event that leads somewhere`, async () => {
    const svg = (await drawings.svg(name)) ?? ''
    for (const state of within(machine.root)) assert.ok(svg.includes(`data-state="${state.path.join('.')}"`), state.id)
    const drawn = [...svg.matchAll(/data-events="([^"]*)"/g)].flatMap(([, events = '']) => events.split(' | '))
    for (const state of [machine.root, ...within(machine.root)]) {
      for (const [event, transitions] of state.transitions) {
        if (event.startsWith('xstate.') || transitions.every(({ target }) => !target?.length)) continue
        assert.ok(drawn.includes(event), `${state.id} ${event}`)
      }
    }
    // Every arrow has a way, and nothing lies outside of the picture.
    const [, left = 0, width = 0, height = 0] = (/viewBox="(-?\d+) 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number)
    assert.is.not([...svg.matchAll(/<g class="edge"[^>]*><path d="M/g)].length, 0)
    for (const [, x, y] of svg.matchAll(/<rect x="([-\d.]+)" y="([-\d.]+)"/g)) {
      assert.ok(Number(x) >= left && Number(x) < left + width && Number(y) >= 0 && Number(y) < height)
    }
    assert.not.match(svg, /NaN|undefined|style=|<script/)
  })
}

test('[P38] every state, event and guard of every machine has its sentence', async () => {
  const all = await drawings.sentences()
  assert.equal(Object.keys(all).sort(), Object.keys(MACHINES).sort())
  const without = Object.entries(all).flatMap(([name, { about, ...parts }]) =>
    Object.entries({ ...parts, machine: { about } }).flatMap(([part, sentences]) =>
      Object.entries(sentences).flatMap(([each, sentence]) => (sentence === '' ? [`${name} ${part} ${each}`] : [])),
    ),
  )
  assert.equal(without, [])
  for (const [name, machine] of Object.entries(MACHINES)) {
    const states = within(machine.root).filter(({ type }) => type !== 'history')
    assert.equal(Object.keys(all[name]?.states ?? {}).sort(), states.map(({ path }) => path.join('.')).sort())
    assert.equal(Object.keys(all[name]?.guards ?? {}).sort(), Object.keys(machine.implementations.guards).sort())
    const events = machine.events.map(String).filter((event) => event !== '*' && !event.startsWith('xstate.'))
    for (const event of events) assert.ok(all[name]?.events[event], `${name} ${event}`)
  }
})

const STYLE = readFileSync('src/web/static/style.css', 'utf8')

/** What is wrong in the drawing on the page: [words, or boxes, and what they are beyond, or on]. */
const WRONG = `(() => {
  const box = (what) => { const { x, y, width, height } = what.getBBox(); return { x, y, right: x + width, bottom: y + height } }
  const isIn = (a, b) => a.x >= b.x && a.y >= b.y && a.right <= b.right && a.bottom <= b.bottom
  const areApart = (a, b) => a.right <= b.x || b.right <= a.x || a.bottom <= b.y || b.bottom <= a.y
  const states = [...document.querySelectorAll('.state, .anywhere')].map((each) => ({
    path: each.dataset.state ?? '', box: box(each.querySelector('rect')), isFrame: each.matches('.composite'),
    words: [...each.querySelectorAll('text')].map((text) => ({ text: text.textContent, box: box(text) })),
  }))
  const grown = ({ x, y, right, bottom }, by) => ({ x: x - by, y: y - by, right: right + by, bottom: bottom + by })
  const edges = [...document.querySelectorAll('.edge')].map((each) => {
    const path = each.querySelector('path')
    const words = document.querySelector('.words[data-arrow="' + each.dataset.arrow + '"]')
    const texts = [...words?.querySelectorAll('text:not([display])') ?? []]
    const head = path.getPointAtLength(path.getTotalLength())
    const bends = path.getAttribute('d').split(/[ML]/).slice(1).map((point) => point.split(' ').map(Number))
    return {
      ...{ from: each.dataset.from, to: each.dataset.to.split('.').slice(1).join('.'), bends, element: each, head, ground: words?.querySelector('.ground') },
      words: texts.map((text) => ({ text: text.lastChild.textContent, box: box(text) })),
    }
  })
  const wrong = []
  const [left, , width, height] = document.querySelector('svg').getAttribute('viewBox').split(' ').map(Number)
  const whole = { x: left, y: 0, right: left + width, bottom: height }
  for (const { path, box, words } of states) {
    for (const each of words) if (!isIn(each.box, box)) wrong.push([each.text, 'beyond its box ' + path])
    const frame = states.find((other) => other.path !== '' && path.startsWith(other.path + '.') && !path.slice(other.path.length + 1).includes('.'))
    if (!isIn(box, frame?.box ?? whole)) wrong.push([path, 'beyond its frame'])
    for (const other of states)
      if (other.path !== path && !other.path.startsWith(path + '.') && !path.startsWith(other.path + '.') && !areApart(box, other.box) && path !== '' && other.path !== '') wrong.push([path, 'on ' + other.path])
  }
  const canvas = getComputedStyle(document.querySelector('.drawing')).backgroundColor
  for (const { from, to, head, bends, words, ground } of edges) {
    const { x, y, right, bottom } = states.find(({ path }) => path === to).box
    const off = Math.min(Math.abs(head.x - x), Math.abs(head.x - right), Math.abs(head.y - y), Math.abs(head.y - bottom))
    if (off > 1 || !isIn({ x: head.x, y: head.y, right: head.x, bottom: head.y }, grown({ x, y, right, bottom }, 1))) wrong.push([from, 'does not end at the border of ' + to])
    if (words.length === 0) {
      wrong.push([from, 'has an arrow without words'])
      continue
    }
    // Whatever is below words, lines and borders end at a ground of the colour of the canvas, apart from all that stands.
    const place = box(ground)
    for (const [x, y] of bends) if (isIn({ x, y, right: x, bottom: y }, place)) wrong.push([words[0].text, 'hides a bend or an end of its arrow to ' + to])
    if (getComputedStyle(ground).fill !== canvas) wrong.push([words[0].text, 'has no ground'])
    for (const under of document.querySelectorAll('.edge, .state'))
      if (!(under.compareDocumentPosition(ground) & Node.DOCUMENT_POSITION_FOLLOWING)) wrong.push([words[0].text, 'is below ' + under.outerHTML])
    for (const state of states)
      if (!state.isFrame && !areApart(grown(place, 3.9), state.box)) wrong.push([words[0].text, 'too near to ' + state.path])
    for (const other of edges)
      if (!areApart(grown(place, 3.9), { x: other.head.x, y: other.head.y, right: other.head.x, bottom: other.head.y })) wrong.push([words[0].text, 'too near to the head of an arrow from ' + other.from])
    for (const each of words)
      if (!isIn(grown(each.box, 0), grown(place, 0)) || each.box.x - place.x < 3.9 || place.right - each.box.right < 3.9) wrong.push([each.text, 'beyond its ground'])
    for (const { text, box } of words) {
      if (!isIn(box, whole)) wrong.push([text, 'beyond the drawing'])
      for (const state of states)
        for (const taken of state.isFrame ? state.words : [state]) if (!areApart(box, taken.box)) wrong.push([text, 'on ' + state.path])
      for (const other of edges)
        if (other.words !== words) for (const each of other.words) if (!areApart(box, each.box)) wrong.push([text, 'on ' + each.text])
    }
  }
  return { count: states.length, wrong }
})()`

if (noChromium !== null) console.log(`SKIPPED 1 ${noChromium}`)
else
  test('[P38] no words of a drawing leave their box, no state its frame, neither they nor the words of arrows lie on each other, no line or border goes through words, and each arrow is seen from its beginning over its bends to the border of its target', async () => {
    const browser = await startChromium()
    try {
      const page = await (await browser.newContext()).newPage()
      for (const [name, machine] of Object.entries(MACHINES)) {
        await page.setContent(`<style>${STYLE}</style><div class="drawing">${await drawings.svg(name)}</div>`)
        const { count, wrong } = await page.evaluate<{ count: number; wrong: string[][] }>(WRONG)
        assert.ok(count >= within(machine.root).filter(({ type }) => type !== 'history').length, name)
        assert.equal(wrong, [], name)
      }
    } finally {
      await endChromium(browser)
    }
  })

test('an unknown name has no drawing', async () => {
  for (const name of ['', 'nothing', '__proto__', 'constructor']) assert.is(await drawings.svg(name), null)
})

test.run()
