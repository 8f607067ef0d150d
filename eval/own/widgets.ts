import { refIn } from '../harness/hands.ts'
import { type EvalTask, must, Unsolved } from '../harness/task.ts'

/** How libraries of widgets build what they draw, in the fewest lines that show it. */
export const BUILT: readonly EvalTask[] = [
  {
    name: 'click-on-generated-text',
    about: 'what is drawn by ::before takes the click of its element',
    page: `<style>.pick::before{content:'Heading 1';display:block;padding:8px}</style><span class="pick" role="button" tabindex="0" onclick="window.done = true"></span>`,
    async solve(s) {
      await s.open()
      await s.click(/button "Heading 1"/)
    },
    check: 'window.done === true',
  },
  {
    name: 'items-of-a-focusable-list',
    about: 'a list that can have the focus leaves its items their refs',
    page: `<ul tabindex="0" id="l" style="cursor:default"><li><div tabindex="-1">Banana</div></li><li><div tabindex="-1">Blueberry</div></li></ul><script>l.addEventListener('click', (e) => { window.chosen = e.target.textContent })</script>`,
    async solve(s) {
      await s.open()
      await s.click(/Blueberry/)
    },
    check: `window.chosen === 'Blueberry'`,
  },
  {
    name: 'drop-area-by-class',
    about: 'where things are dropped has a ref, though it does not listen',
    page: `<div id="a" style="width:80px;height:40px;background:#fcc;cursor:move">Parcel</div><div id="b" class="ui-droppable" style="width:200px;height:100px;margin-top:60px;background:#cfc">Van</div><script>
let held = false
a.onmousedown = () => { held = true }
document.addEventListener('mouseup', (e) => { const box = b.getBoundingClientRect(); if (held && e.clientX > box.left && e.clientX < box.right && e.clientY > box.top && e.clientY < box.bottom) window.done = true; held = false })</script>`,
    async solve(s) {
      await s.open()
      await s.drag(/Parcel/, /Van/)
    },
    check: 'window.done === true',
  },
  {
    name: 'masked-with-prefix',
    about: 'B2 a mask that adds to what was given has taken it, and the answer says what it made',
    page: `<label>Phone <input id="f"></label><script>f.addEventListener('input', () => { const d = f.value.replace(/\\D/g, '').replace(/^7(?=\\d{10})/, ''); f.value = '+7(' + d.slice(0, 3) + ')' + d.slice(3) })</script>`,
    async solve(s) {
      await s.open()
      must(await s.fill(/textbox "Phone"/, '9161234567'), /\+7\(916\)1234567/)
    },
    check: `f.value === '+7(916)1234567'`,
  },
  {
    name: 'edit-context',
    about: 'an editor that is typed into by an EditContext is a text box, and is replaced as a whole',
    page: `<div class="monaco-editor"><div id="e" role="textbox" aria-label="Source" aria-multiline="true" tabindex="0" style="position:absolute;width:0;height:20px"></div><div class="view-line" id="v">old</div></div><script>
const context = new EditContext({ text: 'old' }); e.editContext = context; window.text = 'old'
const draw = (t) => { window.text = t; v.textContent = t; context.updateText(0, context.text.length, t); context.updateSelection(t.length, t.length) }
let all = false
e.addEventListener('keydown', (k) => { if (k.key === 'a' && k.ctrlKey) { all = true; k.preventDefault() } })
e.addEventListener('paste', (p) => { p.preventDefault(); const t = p.clipboardData.getData('text/plain'); draw(all ? t : window.text + t); all = false })
context.addEventListener('textupdate', (u) => draw(all ? u.text : window.text + u.text))</script>`,
    async solve(s) {
      await s.open()
      await s.fill(/textbox "Source"/, 'if (a) { b }')
      await s.type(' // done', /textbox "Source"/)
    },
    check: `window.text === 'if (a) { b } // done'`,
    oursOnly: true,
  },
  {
    name: 'placeholder-over-the-field',
    about: 'a field is called by the placeholder that is drawn over it, and takes the click there',
    page: `<div id="w" style="position:relative;width:220px;height:32px;border:1px solid"><div style="height:0"><input id="f" role="combobox" aria-expanded="false" aria-haspopup="listbox" readonly style="border:0;width:160px;height:30px"><div style="position:absolute;inset:0;line-height:30px">Zone</div></div></div><script>w.onclick = () => { window.done = true }</script>`,
    async solve(s) {
      await s.open()
      await s.click(/combobox "Zone"/)
    },
    check: 'window.done === true',
  },
  {
    name: 'rows-drawn-anew',
    about: 'a box that scrolls has a ref, whatever its role: a list that draws only what is in view is read to row 150',
    page: `<div role="list" id="l" style="height:300px;overflow:auto;position:relative"><div style="height:30000px"></div></div><script>
const draw = () => { for (const old of l.querySelectorAll('button')) old.remove()
const first = Math.floor(l.scrollTop / 30); for (let n = first; n < first + 11; n++) { const b = document.createElement('button'); b.textContent = 'Open row ' + n; b.style.cssText = 'position:absolute;top:' + n * 30 + 'px'; b.onclick = () => { window.opened = n }; l.append(b) } }
l.onscroll = draw; draw()</script>`,
    async solve(s) {
      await s.open()
      let seen = await s.look()
      const list = refIn(seen, /^\W*list\b/)
      if (list === null) throw new Unsolved(`the list has no ref: ${seen}`)
      for (let turn = 0; turn < 30; turn += 1) {
        const row = refIn(seen, /"Open row 150"/)
        if (row !== null) return s.click(row)
        seen = await s.call('computer', { action: 'scroll', ref: list, scroll_direction: 'down', scroll_amount: 3 })
      }
      throw new Unsolved('row 150 did not come')
    },
    check: 'window.opened === 150',
    oursOnly: true,
  },
  {
    name: 'options-through-slots',
    about: 'B12 form_input finds options that are slotted into the list of a shadow tree',
    page: `<x-select id="f"><x-option>Apple</x-option><x-option>Cherry</x-option></x-select><script>
customElements.define('x-option', class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<li role="option" style="list-style:none"><slot></slot></li>' } })
customElements.define('x-select', class extends HTMLElement { connectedCallback() {
const root = this.attachShadow({ mode: 'open' }); root.innerHTML = '<div role="combobox" tabindex="0" aria-label="Fruit" aria-expanded="false" aria-controls="l" id="c">Choose</div><div id="l" role="listbox" hidden><slot></slot></div>'
const [c, l] = [root.getElementById('c'), root.getElementById('l')]
c.onclick = () => { l.hidden = !l.hidden; c.setAttribute('aria-expanded', String(!l.hidden)) }
this.addEventListener('click', (e) => { const o = e.target.closest('x-option'); if (!o) return; window.chosen = o.textContent; c.textContent = o.textContent; l.hidden = true; c.setAttribute('aria-expanded', 'false') }) } })</script>`,
    async solve(s) {
      await s.open()
      await s.fill(/combobox "Fruit"/, 'Cherry')
    },
    check: `window.chosen === 'Cherry'`,
  },
  {
    name: 'board-of-cards',
    about: 'what can be dragged says so, and is dropped on the column under a heading that has a ref',
    page: `<style>.col{width:180px;min-height:200px;float:left;margin:8px;padding:8px;background:#eee}.card{padding:10px;margin:4px;background:#fff;touch-action:none;cursor:grab}</style><div class="col"><h3>To do</h3><div class="card">Task A</div><div class="card">Task B</div></div><div class="col" id="done"><h3>Done</h3></div><script>
for (const card of document.querySelectorAll('.card')) card.addEventListener('pointerdown', (e) => { card.setPointerCapture(e.pointerId); let moves = 0
card.onpointermove = () => { moves += 1 }
card.onpointerup = (up) => { const box = done.getBoundingClientRect(); card.onpointermove = card.onpointerup = null
if (moves > 3 && up.clientX > box.left && up.clientX < box.right && up.clientY > box.top && up.clientY < box.bottom) done.append(card) } })</script>`,
    async solve(s) {
      await s.open()
      must(await s.look(), /"Task A" \[e\d+\] draggable/, 'the tree')
      await s.drag(/Task A/, /heading "Done"/)
    },
    check: `done.textContent.includes('Task A')`,
  },
  {
    name: 'bar-of-a-chart',
    about: 'a shape is called by what is written in its group',
    page: `<svg width="300" height="120">${['Jan', 'Feb', 'Mar'].map((month, at) => `<g><rect x="${at * 60}" y="20" width="40" height="60"></rect><text x="${at * 60}" y="115">${month}</text></g>`).join('')}</svg><script>for (const bar of document.querySelectorAll('rect')) bar.addEventListener('click', () => { window.chosen = bar.nextElementSibling.textContent })</script>`,
    async solve(s) {
      await s.open()
      await s.click(/clickable "Feb"/)
    },
    check: `window.chosen === 'Feb'`,
  },
  {
    name: 'element-internals',
    about: 'what a custom element tells assistive technology alone is read: role, name and state',
    page: `<x-radio id="one"></x-radio><x-radio id="two"></x-radio><script>
customElements.define('x-radio', class extends HTMLElement { connectedCallback() {
this.tabIndex = 0; const inside = this.inside = this.attachInternals(); inside.role = 'radio'; inside.ariaLabel = 'Option ' + this.id; inside.ariaChecked = 'false'
this.attachShadow({ mode: 'open' }).innerHTML = '<div style="width:20px;height:20px;border:1px solid;border-radius:50%"></div>'
this.onclick = () => { for (const each of document.querySelectorAll('x-radio')) each.inside.ariaChecked = String(each === this); window.chosen = this.id } } })</script>`,
    async solve(s) {
      await s.open()
      must(await s.look(), /radio "Option one" \[e\d+\](?! checked)/, 'the tree')
      must(await s.click(/radio "Option two"/), /~ radio "Option two" \[e\d+\] checked/)
    },
    check: `window.chosen === 'two'`,
  },
  {
    name: 'days-of-a-month',
    about: 'a container that listens for many alike leaves each its ref, however deep they are in it',
    page: `<style>.g{display:grid;grid-template-columns:repeat(7,30px)}.g span{display:block}</style><div id="v"><div><div class="g">${Array.from({ length: 31 }, (_, at) => `<span>${at + 1}</span>`).join('')}</div></div></div><script>v.addEventListener('click', (e) => { window.day = e.target.textContent })</script>`,
    async solve(s) {
      await s.open()
      await s.click(/"24"/)
    },
    check: `window.day === '24'`,
  },
  {
    name: 'only-an-edge-is-free',
    about: 'of a target that is covered but for its edge, the edge is clicked',
    page: `<div style="position:relative;width:300px"><a href="#s2" style="display:block;height:40px;background:#cfc">Slide 2</a><div style="position:absolute;left:0;top:0;width:260px;height:40px;background:#ccc"></div></div>`,
    async solve(s) {
      await s.open()
      await s.click(/link "Slide 2"/)
    },
    check: `location.hash === '#s2'`,
  },
  {
    name: 'colour-swatches',
    about: 'what is nothing but a colour is called by it',
    page: `${['rgb(255, 0, 0)', 'rgb(0, 128, 0)', 'rgb(0, 0, 255)'].map((colour) => `<div class="swatch" style="display:inline-block;width:30px;height:30px;background:${colour};cursor:pointer" onclick="window.chosen = '${colour}'"></div>`).join('')}`,
    async solve(s) {
      await s.open()
      await s.click(/rgb\(0, 0, 255\)/)
    },
    check: `window.chosen === 'rgb(0, 0, 255)'`,
  },
]
