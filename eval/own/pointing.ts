import { refIn } from '../harness/hands.ts'
import { type EvalTask, must, Unsolved } from '../harness/task.ts'

const clickOnce = (
  name: string,
  about: string,
  page: string,
  target: RegExp,
  check = 'window.done === true',
): EvalTask => ({
  name,
  about,
  page,
  async solve(s) {
    await s.open()
    await s.click(target)
  },
  check,
})

/** [agent.md 2] An action waits until its target is ready; what reacts has a ref. */
export const POINTING: readonly EvalTask[] = [
  clickOnce(
    'sticky-header',
    'B15 a target under a sticky bar is scrolled clear',
    `<div style="position:sticky;top:0;height:300px;background:#eee;z-index:9">Bar</div>
<div style="height:900px"></div><div style="position:fixed;bottom:0;height:300px;width:100%;background:#ddd;z-index:9">Cookies</div>
<button onclick="window.done = true">Subscribe</button><div style="height:1200px"></div><script>scrollTo(0, 700)</script>`,
    /button "Subscribe"/,
  ),
  clickOnce(
    'spinner-overlay',
    'B15 an overlay that goes is waited for',
    `<button onclick="window.done = true">Continue</button>
<div id="o" style="position:fixed;inset:0;background:#0005">Loading</div><script>setTimeout(() => o.remove(), 1800)</script>`,
    /button "Continue"/,
  ),
  clickOnce(
    'enabled-late',
    'a control that becomes enabled is waited for',
    `<button disabled id="b" onclick="window.done = true">Next</button>
<script>setTimeout(() => { b.disabled = false }, 1500)</script>`,
    /button "Next"/,
  ),
  clickOnce(
    'moving-target',
    'B15 a target that moves is waited for',
    `<style>@keyframes m{from{transform:translateX(600px)}to{transform:none}}#b{animation:m 1.5s}</style>
<button id="b" onclick="window.done = true">Catch me</button>`,
    /button "Catch me"/,
  ),
  clickOnce(
    'changes-under-the-mouse',
    'B15 the press does not follow the move at once',
    `<style>#d{width:220px;height:60px;background:#ddd}</style><div id="d"><button id="b">Remove</button></div><script>
let armed = false
b.onmouseenter = () => setTimeout(() => { armed = true }, 60)
b.onmousedown = () => { if (armed) window.done = true }</script>`,
    /button "Remove"/,
  ),
  clickOnce(
    'svg-shape',
    'SVG shapes that listen have a ref',
    `<svg width="300" height="100"><g><title>Seat 12A</title><rect id="s" x="10" y="10" width="60" height="60" fill="#6a6"/></g>
<rect aria-label="Seat 12B" x="100" y="10" width="60" height="60" fill="#66a" onclick="window.other = true"/></svg><script>s.addEventListener('click', () => { window.done = true })</script>`,
    /Seat 12A/,
  ),
  clickOnce(
    'image-map',
    'B19 areas of an image map',
    `<img usemap="#m" width="200" height="100" alt="Map" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='100'/>">
<map name="m"><area shape="rect" coords="0,0,90,100" href="#n" alt="North" onclick="window.north = true"><area shape="rect" coords="110,0,200,100" href="#s" alt="South" onclick="window.done = true"></map>`,
    /"South"/,
  ),
  clickOnce(
    'pointer-events',
    'a control that listens for pointerdown only',
    `<div id="d" style="width:90px;height:30px;background:#aaf">Open panel</div><script>
d.addEventListener('pointerdown', () => { window.done = true })</script>`,
    /Open panel/,
  ),
  clickOnce(
    'scrolled-box',
    'a target inside a scrolled box',
    `<div style="height:120px;overflow:auto;border:1px solid">${'<p>Filler</p>'.repeat(40)}<button onclick="window.done = true">Agree</button></div>`,
    /button "Agree"/,
  ),
  clickOnce(
    'ghost-checkbox',
    'B9 a hidden input is used by its label',
    `<style>.v{position:absolute;opacity:0;width:1px;height:1px;clip:rect(0,0,0,0)}</style>
<input class="v" type="checkbox" id="c"><label for="c">I agree to the terms</label>`,
    /"I agree to the terms"/,
    'document.getElementById("c").checked',
  ),
  clickOnce(
    'display-none-radio',
    'B9 labels of inputs that are not shown have a ref',
    `<style>input{display:none}label{padding:9px;border:1px solid}</style>
<input type="radio" name="size" id="s"><label for="s">S</label><input type="radio" name="size" id="xl"><label for="xl">XL</label>`,
    /"XL"/,
    'document.getElementById("xl").checked',
  ),
  {
    name: 'hover-menu',
    about: 'B9 a parent that opens on hover has a ref',
    page: `<style>ul{list-style:none}.sub{display:none}.top:hover .sub{display:block}</style><ul><li class="top"><span>Products</span><ul class="sub"><li><a href="#" onclick="window.done = true">Teapots</a></li></ul></li></ul>`,
    async solve(s) {
      await s.open()
      const told = await s.hover(/Products/)
      await s.click(refIn(told, /link "Teapots"/) ?? /link "Teapots"/)
    },
    check: 'window.done === true',
  },
  {
    name: 'double-click',
    about: 'what reacts to a double click has a ref',
    page: `<div id="c">Cell B7</div><script>c.addEventListener('dblclick', () => { window.done = true })</script>`,
    async solve(s) {
      await s.open()
      await s.click(/Cell B7/, { count: 2 })
    },
    check: 'window.done === true',
  },
  {
    name: 'context-menu',
    about: 'what reacts to the right button has a ref',
    page: `<div id="f">report.txt</div><menu id="m" hidden><button onclick="window.done = true">Rename</button></menu><script>f.addEventListener('contextmenu', (e) => { e.preventDefault(); m.hidden = false })</script>`,
    async solve(s) {
      await s.open()
      await s.click(/report\.txt/, { button: 'right' })
      await s.click(/button "Rename"/)
    },
    check: 'window.done === true',
  },
  {
    name: 'covered-is-named',
    about: 'a click on what stays covered names what covers it',
    page: `<button onclick="window.done = true">Buy</button><dialog open style="position:fixed;inset:0;width:100%;height:100%"><p>We use cookies</p><button onclick="this.parentNode.remove()">Accept all</button></dialog>`,
    async solve(s) {
      await s.open()
      const buy = await s.ref(/button "Buy"/)
      const { text, failed } = await s.attempt('computer', { action: 'left_click', ref: buy })
      if (!failed) throw new Unsolved(`the click was told as made: ${text}`)
      must(text, /cover/i)
      await s.click(/button "Accept all"/)
      await s.click(buy)
    },
    check: 'window.done === true',
    oursOnly: true,
  },
  {
    name: 'disabled-is-told',
    about: 'B17 a disabled target is told, not clicked',
    page: `<button disabled>Pay</button>`,
    async solve(s) {
      await s.open()
      const { text } = await s.attempt('computer', { action: 'left_click', ref: await s.ref(/button "Pay"/) })
      must(text, /disabled/)
    },
    oursOnly: true,
  },
  {
    name: 'redrawn-ref',
    about: 'B18 a ref whose element was drawn anew is found again',
    page: `<div id="app"></div><script>let n = 0
const draw = () => { app.innerHTML = '<p>Draw ' + n++ + '</p><button>Refresh</button><button>Pay</button>'
app.querySelectorAll('button')[0].onclick = draw
app.querySelectorAll('button')[1].onclick = () => { window.done = true } }
draw()</script>`,
    async solve(s) {
      await s.open()
      const tree = await s.look()
      const [refresh, pay] = [await s.ref(/button "Refresh"/, tree), await s.ref(/button "Pay"/, tree)]
      await s.click(refresh)
      await s.click(refresh)
      await s.click(pay)
    },
    check: 'window.done === true',
  },
  {
    name: 'keyboard-menu',
    about: 'keys reach a widget that is used by the keyboard',
    page: `<ul role="menu" tabindex="0" aria-label="Actions" id="m"><li role="menuitem">Cut</li><li role="menuitem">Copy</li><li role="menuitem">Paste</li></ul><script>let at = -1
m.onkeydown = (e) => { if (e.key === 'ArrowDown') at++; if (e.key === 'Enter') window.chosen = m.children[at].textContent }</script>`,
    async solve(s) {
      await s.open()
      await s.press('ArrowDown ArrowDown ArrowDown Enter', /menu "Actions"/)
    },
    check: `window.chosen === 'Paste'`,
  },
]
