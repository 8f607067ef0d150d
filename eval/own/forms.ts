import { refIn } from '../harness/hands.ts'
import { type EvalTask, must, mustNot } from '../harness/task.ts'

const filled = (
  name: string,
  about: string,
  page: string,
  target: RegExp,
  value: string | number | boolean,
  check: string,
): EvalTask => ({
  name,
  about,
  page,
  async solve(s) {
    await s.open()
    await s.fill(target, value)
  },
  check,
})

/** A field that holds what its model says, as React's controlled inputs do: what is set past its events is undone. */
const CONTROLLED = `<script>
const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
let state = ''
Object.defineProperty(f, 'value', { get() { return own.get.call(this) }, set(v) { tracked = v; own.set.call(this, v) }, configurable: true })
let tracked = ''
f.addEventListener('input', () => { const v = own.get.call(f); if (v !== tracked) { tracked = v; state = v; window.state = state } own.set.call(f, state) })
setInterval(() => { if (own.get.call(f) !== state) own.set.call(f, state) }, 30)</script>`

const COMBO = `<style>[role=option]{padding:5px}</style><label id="lb">Fruit</label>
<div role="combobox" aria-labelledby="lb" aria-haspopup="listbox" aria-expanded="false" aria-controls="pop" tabindex="0" id="combo" style="border:1px solid;width:200px">Choose</div>
<ul role="listbox" id="pop" hidden>${['Apple', 'Banana', 'Cherry', 'Damson'].map((f, i) => `<li role="option" id="o${i}">${f}</li>`).join('')}</ul><script>
combo.onclick = () => { pop.hidden = !pop.hidden; combo.setAttribute('aria-expanded', String(!pop.hidden)) }
pop.onclick = (e) => { window.fruit = e.target.textContent; combo.textContent = window.fruit; pop.hidden = true; combo.setAttribute('aria-expanded', 'false') }</script>`

const SLIDER = `<div role="slider" tabindex="0" aria-label="Volume" aria-valuemin="0" aria-valuemax="100" aria-valuenow="20" id="s" style="width:200px;height:20px;background:#ddd"></div><script>
s.onkeydown = (e) => { const d = { ArrowRight: 5, ArrowUp: 5, ArrowLeft: -5, ArrowDown: -5, PageUp: 20, PageDown: -20 }[e.key]; if (d) s.setAttribute('aria-valuenow', Math.max(0, Math.min(100, +s.getAttribute('aria-valuenow') + d))) }</script>`

export const FORMS: readonly EvalTask[] = [
  filled(
    'text',
    'form_input',
    `<label>Name <input id="f" value="old"></label>`,
    /textbox "Name"/,
    'Ada',
    `f.value === 'Ada'`,
  ),
  filled(
    'controlled-input',
    'B2 a controlled input holds the value',
    `<label>Name <input id="f"></label>${CONTROLLED}`,
    /textbox "Name"/,
    'Ada Lovelace',
    `window.state === 'Ada Lovelace' && f.value === 'Ada Lovelace'`,
  ),
  filled(
    'select',
    'a native select',
    `<label>Size <select id="f"><option>S</option><option>M</option></select></label>`,
    /combobox "Size"/,
    'M',
    `f.value === 'M'`,
  ),
  filled(
    'select-option-45',
    'B18 an option beyond the 30th is set',
    `<label>Land <select id="f">${Array.from({ length: 60 }, (_, i) => `<option>Land ${i}</option>`).join('')}</select></label>`,
    /combobox "Land"/,
    'Land 45',
    `f.value === 'Land 45'`,
  ),
  filled(
    'date',
    'a native date',
    `<label>Day <input type="date" id="f"></label>`,
    /"Day"/,
    '2026-11-22',
    `f.value === '2026-11-22'`,
  ),
  filled(
    'time',
    'a native time',
    `<label>At <input type="time" id="f"></label>`,
    /"At"/,
    '14:35',
    `f.value === '14:35'`,
  ),
  filled(
    'colour',
    'a native colour',
    `<label>Ink <input type="color" id="f"></label>`,
    /"Ink"/,
    '#2f5d62',
    `f.value === '#2f5d62'`,
  ),
  filled(
    'range',
    'a native range',
    `<label>Heat <input type="range" id="f" min="0" max="10"></label>`,
    /"Heat"/,
    8,
    `f.value === '8'`,
  ),
  filled(
    'checkbox',
    'a native checkbox',
    `<label><input type="checkbox" id="f"> Gift</label>`,
    /checkbox "Gift"/,
    true,
    'f.checked',
  ),
  filled(
    'contenteditable',
    'an editable region',
    `<div id="f" contenteditable="true" aria-label="Note" style="min-height:40px">old words</div>`,
    /"Note"/,
    'new words',
    `f.textContent.trim() === 'new words'`,
  ),
  filled(
    'aria-combobox',
    'B12 form_input sets an ARIA combo box',
    COMBO,
    /combobox "Fruit"/,
    'Cherry',
    `window.fruit === 'Cherry'`,
  ),
  filled(
    'aria-slider',
    'form_input sets an ARIA slider',
    SLIDER,
    /slider "Volume"/,
    60,
    `s.getAttribute('aria-valuenow') === '60'`,
  ),
  filled(
    'aria-switch',
    'form_input sets an ARIA switch',
    `<div role="switch" tabindex="0" aria-checked="false" aria-label="Wifi" id="s" onclick="s.setAttribute('aria-checked', String(s.getAttribute('aria-checked') !== 'true'))">o</div>`,
    /switch "Wifi"/,
    true,
    `s.getAttribute('aria-checked') === 'true'`,
  ),
  filled(
    'aria-spinbutton',
    'form_input sets an ARIA spin button',
    `<div role="spinbutton" tabindex="0" aria-label="Guests" aria-valuenow="2" aria-valuemin="1" aria-valuemax="9" id="s" style="width:50px;height:20px">2</div><script>
s.onkeydown = (e) => { const d = { ArrowUp: 1, ArrowDown: -1 }[e.key]; if (d) { const n = +s.getAttribute('aria-valuenow') + d; s.setAttribute('aria-valuenow', n); s.textContent = n } }</script>`,
    /spinbutton "Guests"/,
    5,
    `s.getAttribute('aria-valuenow') === '5'`,
  ),
  {
    name: 'design-mode-frame',
    about: 'B19 a frame in design mode is written into',
    page: `<iframe title="Body" id="i" width="400" height="150"></iframe><script>i.contentDocument.designMode = 'on'; i.contentDocument.body.innerHTML = '<p>old</p>'</script>`,
    async solve(s) {
      await s.open()
      await s.fill(/textbox.*e\d+|document.*e\d+|"Body".*e\d+|editable.*e\d+/, 'Dear Ada')
    },
    check: `i.contentDocument.body.textContent.trim() === 'Dear Ada'`,
  },
  {
    name: 'rejecting-field',
    about: 'B2 a value that did not stick is an error',
    page: `<label>Code <input id="f" oninput="this.value = ''"></label>`,
    async solve(s) {
      await s.open()
      const { text, failed } = await s.attempt('form_input', { ref: await s.ref(/textbox "Code"/), value: 'ABC' })
      if (!failed) must(text, /empty|not stick|does not hold|holds ""|instead/i)
    },
    oursOnly: true,
  },
  {
    name: 'combobox-by-hand',
    about: 'B12 options of an opened combo box have refs',
    page: COMBO,
    async solve(s) {
      await s.open()
      const told = await s.click(/combobox "Fruit"/)
      await s.click(refIn(told, /option "Cherry"/) ?? /option "Cherry"/)
    },
    check: `window.fruit === 'Cherry'`,
  },
  {
    name: 'select2-like',
    about: 'B12 search field and options inside a combo box have refs',
    page: `<span role="combobox" aria-haspopup="true" aria-expanded="false" tabindex="0" aria-label="City" id="c" style="display:inline-block;width:200px;border:1px solid"><span id="shown">Select a city</span></span>
<div id="d" hidden><input type="search" role="searchbox" aria-label="Search city" id="q"><ul role="listbox" id="l"></ul></div><script>
const all = Array.from({ length: 200 }, (_, i) => 'City ' + i)
const draw = () => { l.innerHTML = all.filter((x) => x.includes(q.value)).slice(0, 8).map((x) => '<li role="option">' + x + '</li>').join('') }
c.onmousedown = () => { d.hidden = false; c.append(d); draw(); setTimeout(() => q.focus(), 10); c.setAttribute('aria-expanded', 'true') }
q.oninput = () => setTimeout(draw, 150)
l.onmouseup = (e) => { e.stopPropagation(); window.city = e.target.textContent; shown.textContent = window.city; d.hidden = true; d.remove() }
q.onmousedown = l.onmousedown = (e) => e.stopPropagation()</script>`,
    async solve(s) {
      await s.open()
      const opened = await s.click(/combobox "City"/)
      await s.type('City 142', refIn(opened, /searchbox "Search city"/) ?? /searchbox "Search city"/)
      await s.click(/option "City 142"/)
    },
    check: `window.city === 'City 142'`,
  },
  {
    name: 'multi-select',
    about: 'a list of which several are chosen',
    page: `<label>Extras <select multiple id="f"><option>Milk</option><option>Sugar</option><option>Lemon</option></select></label>`,
    async solve(s) {
      await s.open()
      await s.click(/option "Milk"/)
      await s.click(/option "Lemon"/, { modifiers: 'ctrl' })
    },
    check: `[...f.selectedOptions].map((o) => o.value).join() === 'Milk,Lemon'`,
  },
  {
    name: 'no-value-invented',
    about: 'B2 an editor that takes nothing is not told as filled',
    page: `<div contenteditable="true" role="textbox" aria-label="Locked" id="f" style="min-height:30px"></div><script>f.addEventListener('beforeinput', (e) => e.preventDefault()); new MutationObserver(() => { if (f.textContent) f.textContent = '' }).observe(f, { childList: true, characterData: true, subtree: true })</script>`,
    async solve(s) {
      await s.open()
      const { text, failed } = await s.attempt('form_input', { ref: await s.ref(/"Locked"/), value: 'words' })
      if (!failed) mustNot(text, /now "words"|holds "words"|= ?"words"/)
    },
    oursOnly: true,
  },
]
