import { refIn } from '../harness/hands.ts'
import { type EvalTask, must, mustNot, Unsolved } from '../harness/task.ts'

const CALL_MS_MAX = 12_500

/** [agent.md 1] Every action shows its effect, and has settled first. */
export const EFFECTS: readonly EvalTask[] = [
  {
    name: 'effect-shown',
    about: 'an action shows what changed',
    page: `<button onclick="cart.textContent = 'Cart: 3 items'; this.disabled = true">Add</button><p id="cart">Cart: 2 items</p>`,
    async solve(s) {
      await s.open()
      must(await s.click(/button "Add"/), /Cart: 3 items/)
    },
  },
  {
    name: 'effect-late',
    about: 'B8 what comes 700 ms after a click is in its answer',
    page: `<button onclick="fetch('/slow').then((r) => r.text()).then((t) => { out.textContent = t })">Check</button><p id="out"></p>`,
    paths: { '/slow': (_, response) => void setTimeout(() => response.end('In stock: 14'), 700) },
    async solve(s) {
      await s.open()
      must(await s.click(/button "Check"/), /In stock: 14/)
    },
  },
  {
    name: 'effect-chain',
    about: 'B8 requests that follow each other are waited for',
    page: `<button onclick="go()">Check</button><p id="out"></p><script>
async function go() { for (const n of [1, 2, 3]) { await fetch('/slow'); await new Promise((r) => setTimeout(r, 150)) } out.textContent = 'Price: 48.50' }</script>`,
    paths: { '/slow': (_, response) => void setTimeout(() => response.end('x'), 250) },
    async solve(s) {
      await s.open()
      must(await s.click(/button "Check"/), /Price: 48\.50/)
    },
  },
  {
    name: 'effect-none',
    about: 'nothing changed is said so',
    page: `<button>Dead</button><p>Still</p>`,
    async solve(s) {
      await s.open()
      await s.look()
      must(await s.click(/button "Dead"/), /nothing.*changed|no (visible )?change|did not change|unchanged/i)
    },
    oursOnly: true,
  },
  {
    name: 'effect-navigation',
    about: 'after a navigation the whole interactive tree is told',
    page: `<a href="/next">Next page</a>`,
    paths: { '/next': `<title>Step two</title><button onclick="window.done = true">Confirm booking</button>` },
    async solve(s) {
      await s.open()
      const told = await s.click(/link "Next page"/)
      const ref = refIn(told, /button "Confirm booking"/)
      if (ref === null) throw new Unsolved(`the new page's tree is not told: ${told}`)
      await s.click(ref)
    },
    check: `window.done === true`,
  },
  {
    name: 'effect-of-navigate',
    about: 'navigate answers with the tree of the page',
    page: `<button onclick="window.done = true">Start</button>`,
    async solve(s) {
      const told = await s.open()
      const ref = refIn(told, /button "Start"/)
      if (ref === null) throw new Unsolved(`no tree: ${told}`)
      await s.click(ref)
    },
    check: `window.done === true`,
  },
  {
    name: 'effect-of-form-input',
    about: 'form_input shows what else changed',
    page: `<label>Country <select onchange="vat.textContent = 'VAT ' + this.value + '%'"><option value="19">Germany</option><option value="25">Norway</option></select></label><p id="vat">VAT 19%</p>`,
    async solve(s) {
      await s.open()
      must(await s.fill(/combobox "Country"/, 'Norway'), /VAT 25%/)
    },
  },
  {
    name: 'effect-of-typing',
    about: 'suggestions that arrive after typing are told',
    page: `<label>City <input id="q" oninput="clearTimeout(window.t); window.t = setTimeout(async () => { found.innerHTML = await (await fetch('/s')).text() }, 200)"></label><ul role="listbox" id="found"></ul>
<script>found.onclick = (e) => { window.city = e.target.textContent; q.value = window.city; found.innerHTML = '' }</script>`,
    paths: { '/s': '<li role="option">Oslo</li><li role="option">Osnabrück</li>' },
    async solve(s) {
      await s.open()
      const told = await s.type('Os', /textbox "City"/)
      const ref = refIn(told, /option "Oslo"/)
      if (ref === null) throw new Unsolved(`the suggestions are not told: ${told}`)
      await s.click(ref)
    },
    check: `window.city === 'Oslo'`,
  },
  {
    name: 'wait-for-text',
    about: 'wait takes a text to wait for',
    page: `<button onclick="setTimeout(() => { out.textContent = 'Export ready' }, 4500)">Export</button><p id="out">…</p>`,
    async solve(s) {
      await s.open()
      await s.click(/button "Export"/)
      const { text, ms } = await s.attempt('computer', { action: 'wait', text: 'Export ready', duration: 10 })
      must(text, /Export ready/)
      if (ms > 8_000) throw new Unsolved(`it waited ${Math.round(ms)} ms for what came after 4.5 s`)
    },
    oursOnly: true,
  },
  {
    name: 'wait-until-gone',
    about: 'wait takes a text that is to go',
    page: `<button onclick="out.textContent = 'Uploading…'; setTimeout(() => { out.textContent = 'Saved as 77' }, 4200)">Upload</button><p id="out"></p>`,
    async solve(s) {
      await s.open()
      await s.click(/button "Upload"/)
      must((await s.attempt('computer', { action: 'wait', gone: 'Uploading', duration: 10 })).text, /Saved as 77/)
    },
    oursOnly: true,
  },
  {
    name: 'toast-that-went',
    about: 'B17 what came and went between two looks is told',
    page: `<button onclick="const t = document.createElement('div'); t.role = 'status'; t.textContent = 'Coupon TEA10 applied'; document.body.append(t); setTimeout(() => t.remove(), 350)">Apply</button>`,
    async solve(s) {
      await s.open()
      const told = await s.click(/button "Apply"/)
      if (/Coupon TEA10 applied/.test(told)) return
      must(await s.look(), /Coupon TEA10 applied/)
    },
    oursOnly: true,
  },
  {
    name: 'busy-page-12s',
    about: 'B4 no call lasts longer than 12 s',
    page: `<button onclick="const end = Date.now() + 14000; while (Date.now() < end); window.done = true">Compute</button>`,
    async solve(s) {
      await s.open()
      const { ms, text } = await s.attempt('computer', { action: 'left_click', ref: await s.ref(/button "Compute"/) })
      if (ms > CALL_MS_MAX) throw new Unsolved(`the call took ${Math.round(ms)} ms`)
      must(text, /click|busy|answer/i)
    },
    oursOnly: true,
  },
  {
    name: 'slow-navigation-12s',
    about: 'B4 a click whose page does not come is told as done',
    page: `<a href="/never">Go on</a>`,
    paths: { '/never': () => {} },
    async solve(s) {
      await s.open()
      const { ms, text } = await s.attempt('computer', { action: 'left_click', ref: await s.ref(/link "Go on"/) })
      if (ms > CALL_MS_MAX) throw new Unsolved(`the call took ${Math.round(ms)} ms`)
      must(text, /clicked/i)
      must(text, /load/i)
    },
    oursOnly: true,
  },
  {
    name: 'polling-page',
    about: 'a page that polls all the time does not hold actions up',
    page: `<button onclick="out.textContent = 'Counted'">Count</button><p id="out"></p><script>setInterval(() => fetch('/tick'), 120)</script>`,
    paths: { '/tick': 'x' },
    async solve(s) {
      await s.open()
      const { ms, text } = await s.attempt('computer', { action: 'left_click', ref: await s.ref(/button "Count"/) })
      must(text, /Counted/)
      if (ms > 5_000) throw new Unsolved(`the click took ${Math.round(ms)} ms`)
    },
    oursOnly: true,
  },
  {
    name: 'stepper',
    about: 'A1 each click of a stepper tells the new count',
    page: `<button aria-label="Remove one" onclick="n.textContent = --n.dataset.n">−</button><output id="n" data-n="1">1</output><button aria-label="Add one" onclick="n.textContent = ++n.dataset.n">+</button>`,
    async solve(s) {
      await s.open()
      const ref = await s.ref(/button "Add one"/)
      for (let count = 2; count <= 9; count += 1) must(await s.click(ref), new RegExp(`\\b${count}\\b`))
    },
    check: `document.getElementById('n').textContent === '9'`,
  },
  {
    name: 'error-is-told',
    about: 'a form that is refused shows why in the answer',
    page: `<form onsubmit="event.preventDefault(); err.textContent = zip.value.length === 5 ? (window.done = true, 'Sent') : 'The postcode must have 5 digits.'"><label>Postcode <input id="zip"></label><button>Send</button><p role="alert" id="err"></p></form>`,
    async solve(s) {
      await s.open()
      await s.fill(/textbox "Postcode"/, '123')
      must(await s.click(/button "Send"/), /must have 5 digits/)
      await s.fill(/textbox "Postcode"/, '12345')
      const told = await s.click(/button "Send"/)
      must(told, /Sent/)
      mustNot(told, /Error/)
    },
    check: `window.done === true`,
  },
]
