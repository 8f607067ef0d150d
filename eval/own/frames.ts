import { pdf } from '../../src/demo/shop/pdf.ts'
import { refIn } from '../harness/hands.ts'
import { type EvalTask, must, mustNot } from '../harness/task.ts'

const PAY = `<title>Pay</title><h2>Card</h2><label>Card number <input id="card"></label>
<button onclick="parent.postMessage(card.value, '*')">Pay now</button><p>Secured by PayWorks 4411</p>`
const HEARS = `<script>addEventListener('message', (event) => { window.paid = event.data })</script>`

const closedRoot = (inside: string) => `<div id="host"></div><script>
const root = document.getElementById('host').attachShadow({ mode: 'closed' })
root.innerHTML = ${JSON.stringify(inside)}
root.querySelector('button')?.addEventListener('click', () => { window.done = root.querySelector('input')?.value ?? true })
</script>`

export const FRAMES: readonly EvalTask[] = [
  {
    name: 'frame-same-site',
    about: 'trees: frames of the same site',
    page: `<h1>Shop</h1><iframe src="/inner"></iframe>${HEARS}`,
    paths: { '/inner': PAY },
    async solve(s) {
      await s.open()
      await s.fill(/textbox "Card number"/, '4242')
      await s.click(/button "Pay now"/)
    },
    check: `window.paid === '4242'`,
  },
  {
    name: 'frame-other-site',
    about: 'B6 cross-site frames',
    page: `<h1>Shop</h1><iframe src="{{other}}/pay" width="500" height="300"></iframe>${HEARS}`,
    paths: { '/pay': PAY },
    async solve(s) {
      await s.open()
      await s.fill(/textbox "Card number"/, '4242')
      await s.click(/button "Pay now"/)
    },
    check: `window.paid === '4242'`,
  },
  {
    name: 'frame-other-site-below-the-fold',
    about: 'B6 a frame of another site that must be scrolled to',
    page: `<h1>Shop</h1><div style="height:2500px">Long</div>
<iframe src="{{other}}/pay" width="500" height="300"></iframe><div style="height:900px"></div>${HEARS}`,
    paths: { '/pay': `<div style="height:1200px">Terms first.</div>${PAY}` },
    async solve(s) {
      await s.open()
      await s.type('4242', /textbox "Card number"/)
      await s.click(/button "Pay now"/)
    },
    check: `window.paid === '4242'`,
  },
  {
    name: 'frame-nested-sites',
    about: 'B6 a frame of this site inside one of another',
    page: `<h1>Shop</h1><iframe src="{{other}}/middle" width="600" height="400"></iframe>${HEARS}`,
    paths: {
      '/middle': `<p>In the middle</p><iframe src="{{own}}/leaf" width="400" height="200"></iframe>`,
      '/leaf': `<button onclick="top.postMessage('leaf', '*')">Leaf button</button>`,
    },
    async solve(s) {
      await s.open()
      await s.click(/button "Leaf button"/)
    },
    check: `window.paid === 'leaf'`,
  },
  {
    name: 'frame-other-site-text',
    about: 'B6 get_page_text and find see into frames of other sites',
    page: `<h1>Shop</h1><iframe src="{{other}}/pay" width="500" height="300"></iframe>`,
    paths: { '/pay': PAY },
    async solve(s) {
      await s.open()
      must(await s.text(), /Secured by PayWorks 4411/, 'get_page_text')
      must(await s.call('find', { query: 'pay now button' }), /button "Pay now" .*e\d+/, 'find')
    },
    oursOnly: true,
  },
  {
    name: 'frame-comes-late',
    about: 'B6 a frame of another site that a click adds',
    page: `<button onclick="setTimeout(() => { const f = document.createElement('iframe'); f.src = '{{other}}/pay';
document.body.append(f) }, 400)">Pay by card</button>${HEARS}`,
    paths: { '/pay': PAY },
    async solve(s) {
      await s.open()
      const told = await s.click(/button "Pay by card"/)
      await s.fill(refIn(told, /textbox "Card number"/) ?? /textbox "Card number"/, '4242')
      await s.click(/button "Pay now"/)
    },
    check: `window.paid === '4242'`,
  },
  {
    name: 'frame-srcdoc-sandbox',
    about: 'trees: a sandboxed frame',
    page: `<iframe sandbox="allow-scripts" srcdoc="<button onclick='parent.postMessage(1, &quot;*&quot;)'>Vote</button>"></iframe>${HEARS}`,
    async solve(s) {
      await s.open()
      await s.click(/button "Vote"/)
    },
    check: `window.paid === 1`,
  },
  {
    name: 'shadow-open',
    about: 'trees: open shadow roots',
    page: closedRoot('<label>Code <input></label><button>Redeem</button>').replace('closed', 'open'),
    async solve(s) {
      await s.open()
      await s.fill(/textbox "Code"/, 'TEA')
      await s.click(/button "Redeem"/)
    },
    check: `window.done === 'TEA'`,
  },
  {
    name: 'shadow-closed',
    about: 'trees: closed shadow roots',
    page: closedRoot('<label>Code <input></label><button>Redeem</button>'),
    async solve(s) {
      await s.open()
      await s.fill(/textbox "Code"/, 'TEA')
      await s.click(/button "Redeem"/)
    },
    check: `window.done === 'TEA'`,
  },
  {
    name: 'shadow-closed-text',
    about: 'B6 get_page_text and find see into closed shadow roots',
    page: `<p>Before</p>${closedRoot('<p>Your voucher is QX-771.</p><button>Redeem voucher</button>')}`,
    async solve(s) {
      await s.open()
      must(await s.text(), /QX-771/, 'get_page_text')
      must(await s.call('find', { query: 'redeem voucher' }), /Redeem voucher/, 'find')
    },
    oursOnly: true,
  },
  {
    name: 'page-patches-prototypes',
    about: 'B2 what is read does not go through what a page has patched',
    page: `<label>Name <input id="name" value="real"></label><button onclick="window.clicked = true">Save</button><script>
const lie = (object, key, value) => Object.defineProperty(object, key, { get: () => value, set() {}, configurable: true })
lie(HTMLInputElement.prototype, 'value', 'LIE')
lie(HTMLInputElement.prototype, 'type', 'checkbox')
JSON.stringify = () => '"LIE"'
Array.prototype.map = () => ['LIE']
Element.prototype.getBoundingClientRect = () => ({ x: 0, y: 0, width: 0, height: 0, top: 0, left: 0, right: 0, bottom: 0 })
document.querySelectorAll = () => []
Element.prototype.matches = () => false
Element.prototype.closest = () => null
</script>`,
    async solve(s) {
      await s.open()
      const told = await s.fill(/"Name"/, 'Ada')
      mustNot(told, /LIE/, 'form_input')
      must(told, /Ada/, 'form_input')
      mustNot(await s.look(), /LIE/, 'the tree')
      must(await s.text(), /Save|Name/, 'get_page_text')
      await s.click(/button "Save"/)
    },
    check: `window.clicked === true`,
    oursOnly: true,
  },
  {
    name: 'pdf',
    about: 'B6 get_page_text reads a PDF',
    page: `<a href="/invoice.pdf">Invoice</a>`,
    paths: {
      '/invoice.pdf': (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf(['Invoice 2026-117 Total 113.00'])),
    },
    async solve(s) {
      await s.open('/invoice.pdf').catch(() => '')
      must(await s.text(), /Invoice 2026-117 Total 113\.00/, 'get_page_text')
    },
    oursOnly: true,
  },
]
