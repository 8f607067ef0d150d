import { refIn } from '../harness/hands.ts'
import { type EvalTask, must, mustNot, Unsolved } from '../harness/task.ts'

const LIST = ['Milk', 'Bread', 'Tea', 'Rice']

/** Scrolling, dragging, holding. */
export const MOVING: readonly EvalTask[] = [
  {
    name: 'inner-scroll',
    about: 'B7 scrolling a box tells what moved and where it is',
    page: `<div id="b" tabindex="0" role="region" aria-label="Terms" style="height:150px;overflow:auto;width:300px">${'<p>Clause</p>'.repeat(80)}</div>`,
    async solve(s) {
      await s.open()
      const told = await s.call('computer', { action: 'scroll', ref: await s.ref(/"Terms"/), scroll_amount: 5 })
      mustNot(told, /did not move|0 of 0/)
      must(told, /\d+ of \d+|%/)
    },
    check: `document.getElementById('b').scrollTop > 100`,
    oursOnly: true,
  },
  {
    name: 'scroll-end-told',
    about: 'B7 the end of a scrolled box is told',
    page: `<div id="b" style="height:150px;overflow:auto;width:300px" aria-label="Terms" role="region" tabindex="0">${'<p>Clause</p>'.repeat(60)}</div>
<button id="ok" disabled onclick="window.done = true">Accept</button><script>b.onscroll = () => { if (b.scrollTop + b.clientHeight >= b.scrollHeight - 2) ok.disabled = false }</script>`,
    async solve(s) {
      await s.open()
      const ref = await s.ref(/"Terms"/)
      for (let turn = 0; turn < 12; turn += 1) {
        const told = await s.call('computer', { action: 'scroll', ref, scroll_amount: 10 })
        if (/\b(end|bottom)\b/i.test(told)) return s.click(/button "Accept"/)
      }
      throw new Unsolved('the end of the box was never told')
    },
    check: 'window.done === true',
    oursOnly: true,
  },
  {
    name: 'scroll-sideways',
    about: 'horizontal scrolling',
    page: `<div id="b" role="region" aria-label="Gallery" tabindex="0" style="width:300px;overflow-x:auto;white-space:nowrap">${'<span style="display:inline-block;width:200px;height:80px">Card</span>'.repeat(12)}</div>`,
    async solve(s) {
      await s.open()
      await s.call('computer', {
        action: 'scroll',
        ref: await s.ref(/"Gallery"/),
        scroll_direction: 'right',
        scroll_amount: 5,
      })
    },
    check: `document.getElementById('b').scrollLeft > 100`,
    oursOnly: true,
  },
  {
    name: 'infinite-list',
    about: 'what scrolling loads is told',
    page: `<div id="l">${Array.from({ length: 30 }, (_, i) => `<p>Post ${i}</p>`).join('')}</div><script>let n = 30, busy = false
onscroll = async () => { if (busy || innerHeight + scrollY < document.body.scrollHeight - 200 || n >= 90) return
busy = true; await fetch('/more'); for (let i = 0; i < 20; i++) { const p = document.createElement('p'); p.innerHTML = 'Post ' + n + (n === 77 ? ' <button onclick="window.done = true">Like 77</button>' : ''); n++; l.append(p) } busy = false }</script>`,
    paths: { '/more': (_, response) => void setTimeout(() => response.end('x'), 300) },
    async solve(s) {
      await s.open()
      for (let turn = 0; turn < 15; turn += 1) {
        const told = await s.call('computer', { action: 'scroll', scroll_amount: 15 })
        const ref = refIn(told, /button "Like 77"/)
        if (ref !== null) return s.click(ref)
      }
      throw new Unsolved('the answers never showed the button')
    },
    check: 'window.done === true',
    oursOnly: true,
  },
  {
    name: 'virtual-list',
    about: 'rows that are drawn only when they are scrolled to',
    page: `<div id="v" role="list" aria-label="People" tabindex="0" style="height:200px;overflow:auto"><div id="in" style="position:relative;height:${400 * 25}px"></div></div><script>
const draw = () => { const from = Math.floor(v.scrollTop / 25); inn.innerHTML = ''; for (let i = from; i < from + 9 && i < 400; i++) { const b = document.createElement('button'); b.textContent = 'Person ' + i; b.style = 'position:absolute;top:' + i * 25 + 'px'; b.onclick = () => { window.chosen = i }; inn.append(b) } }
const inn = document.getElementById('in'); v.onscroll = draw; draw()</script>`,
    async solve(s) {
      await s.open()
      const box = await s.ref(/"People"/)
      for (let turn = 0; turn < 12; turn += 1) {
        const told = await s.call('computer', { action: 'scroll', ref: box, scroll_amount: 3 })
        const ref = refIn(told, /button "Person 30"/) ?? refIn(await s.look(), /button "Person 30"/)
        if (ref !== null) return s.click(ref)
      }
      throw new Unsolved('Person 30 was never seen')
    },
    check: 'window.chosen === 30',
    oursOnly: true,
  },
  {
    name: 'drag-html5',
    about: 'B18 drag and drop of the platform, from ref to ref',
    page: `<div draggable="true" id="a" style="width:80px;height:40px;background:#ccf">Card A</div><div id="z" style="width:200px;height:120px;margin-top:60px;background:#efe">Done column</div><script>
a.ondragstart = (e) => e.dataTransfer.setData('text', 'a'); z.ondragover = (e) => e.preventDefault(); z.ondrop = (e) => { e.preventDefault(); window.dropped = e.dataTransfer.getData('text'); z.append(a) }</script>`,
    async solve(s) {
      await s.open()
      await s.drag(/Card A/, /Done column/)
    },
    check: `window.dropped === 'a'`,
  },
  {
    name: 'drag-pointer-list',
    about: 'B18 a list sorted by pointer events',
    page: `<ul id="l">${LIST.map((name) => `<li style="padding:10px;cursor:grab">${name}</li>`).join('')}</ul><script>let held = null
l.onpointerdown = (e) => { held = e.target.closest('li'); e.preventDefault() }
onpointermove = (e) => { const over = document.elementFromPoint(e.clientX, e.clientY)?.closest('li'); if (held && over && over !== held) { const r = over.getBoundingClientRect(); over[e.clientY < r.top + r.height / 2 ? 'before' : 'after'](held) } }
onpointerup = () => { held = null }</script>`,
    async solve(s) {
      await s.open()
      await s.drag(/Rice/, /Milk/)
    },
    check: `[...document.querySelectorAll('li')].findIndex((li) => li.textContent === 'Rice') <= 1`,
  },
  {
    name: 'hold-button',
    about: 'B18 a button that is held for a while',
    page: `<button id="b">Hold to confirm</button><script>let t
b.onpointerdown = () => { t = setTimeout(() => { window.done = true }, 1200) }; onpointerup = () => clearTimeout(t)</script>`,
    async solve(s) {
      await s.open()
      await s.call('computer', { action: 'left_click', ref: await s.ref(/Hold to confirm/), hold: 2 })
    },
    check: 'window.done === true',
    oursOnly: true,
  },
  {
    name: 'draw-by-mouse-steps',
    about: 'left_mouse_down, mouse_move, left_mouse_up',
    page: `<canvas id="c" width="400" height="200" style="position:absolute;left:0;top:0;border:1px solid"></canvas><script>let path = [], down = false
c.onmousedown = () => { down = true }; c.onmousemove = (e) => { if (down) path.push([e.clientX, e.clientY]) }; c.onmouseup = () => { down = false; window.path = path }</script>`,
    async solve(s) {
      await s.open()
      const at = (action: string, x: number, y: number) => s.call('computer', { action, coordinate: [x, y] })
      await s.call('computer', { action: 'screenshot' })
      await at('mouse_move', 50, 50)
      await at('left_mouse_down', 50, 50)
      await at('mouse_move', 150, 120)
      await at('mouse_move', 250, 50)
      await at('left_mouse_up', 250, 50)
    },
    check: `window.path?.some(([, y]) => Math.abs(y - 120) < 8) && window.path.some(([x]) => x > 240)`,
    oursOnly: true,
  },
]
