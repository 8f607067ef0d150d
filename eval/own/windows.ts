import { pdf } from '../../src/demo/shop/pdf.ts'
import { linesOf, refIn } from '../harness/hands.ts'
import { type EvalTask, must, mustNot, Unsolved } from '../harness/task.ts'

const confirmPage = `<button onclick="window.said = confirm('Really cancel order 17?')">Cancel order</button>`

/** Windows, dialogs, files and what else happens beside. */
export const WINDOWS: readonly EvalTask[] = [
  {
    name: 'window-opens',
    about: 'a window that the action opened becomes the tab and is told',
    page: `<a href="/deal" target="_blank">See deal</a>`,
    paths: { '/deal': `<title>Deal</title><button onclick="localStorage.done = 1">Reserve</button>` },
    async solve(s) {
      await s.open()
      must(await s.click(/link "See deal"/), /\/deal/)
      await s.click(/button "Reserve"/)
    },
    check: `localStorage.done === '1'`,
  },
  {
    name: 'window-opens-late',
    about: 'B1 a window that opens after a second is told and used',
    page: `<button onclick="setTimeout(() => window.open('/deal'), 1300)">See deal</button>`,
    paths: { '/deal': `<title>Deal</title><button onclick="localStorage.done = 1">Reserve</button>` },
    async solve(s) {
      await s.open()
      const told = await s.click(/button "See deal"/)
      mustNot(told, /none appeared/)
      const later = /\/deal/.test(told) ? told : `${await s.wait(2)}\n${await s.look()}`
      must(later, /\/deal/, 'the answers after the click')
      const tabs = await s.attempt('tabs', { action: 'list' })
      const look = await s.look()
      const ref = refIn(look, /button "Reserve"/)
      if (ref !== null) return s.click(ref)
      const tab = /(\d+|t\d+)[^\n]*\/deal/.exec(tabs.text)?.[1]
      if (tab === undefined) throw new Unsolved(`the window cannot be reached: ${tabs.text}`)
      await s.call('tabs', { action: 'switch', tab: Number.isNaN(Number(tab)) ? tab : Number(tab) })
      return s.click(/button "Reserve"/)
    },
    check: `localStorage.done === '1'`,
    oursOnly: true,
  },
  {
    name: 'window-unasked',
    about: 'B1 a window that nobody clicked for does not take the tab',
    page: `<h1>News</h1><button onclick="localStorage.done = 1">Read on</button><input aria-label="Filter" onkeydown="setTimeout(() => window.open('/ad'), 800)">`,
    paths: { '/ad': '<title>Ad</title><h1>You have won</h1>' },
    async solve(s) {
      await s.open()
      await s.type('tea', /"Filter"/)
      await s.wait(2)
      await s.click(/button "Read on"/)
    },
    check: `localStorage.done === '1'`,
  },
  {
    name: 'tabs-switch',
    about: 'tabs are opened, listed, switched and closed',
    page: `<h1>First</h1><input aria-label="Copy here" id="f">`,
    paths: { '/second': `<title>Second</title><p>The code is QX-11.</p>` },
    async solve(s) {
      await s.open()
      await s.call('tabs', { action: 'open', url: `${s.origins.own}/second` })
      must(await s.text(), /QX-11/)
      const list = await s.call('tabs', { action: 'list' })
      const tab = /(\d+|t\d+)[^\n]*localhost:\d+\/?(?!second)["\s)]/.exec(list)?.[1]
      if (tab === undefined) throw new Unsolved(`no first tab in: ${list}`)
      await s.call('tabs', { action: 'switch', tab: Number.isNaN(Number(tab)) ? tab : Number(tab) })
      await s.fill(/"Copy here"/, 'QX-11')
    },
    check: `document.getElementById('f')?.value === 'QX-11'`,
    oursOnly: true,
  },
  {
    name: 'ctrl-click-tab',
    about: 'B17 a tab opened by ctrl+click is told',
    page: `<a href="/deal">Deal</a>`,
    paths: { '/deal': '<title>Deal page</title>' },
    async solve(s) {
      await s.open()
      must(await s.click(/link "Deal"/, { modifiers: 'ctrl' }), /\/deal|Deal page/)
    },
    oursOnly: true,
  },
  {
    name: 'alert-told',
    about: 'an alert is answered at once and told',
    page: `<button onclick="alert('Only 2 left'); window.done = true">Add</button>`,
    async solve(s) {
      await s.open()
      must(await s.click(/button "Add"/), /Only 2 left/)
    },
    check: 'window.done === true',
    oursOnly: true,
  },
  ...([true, false] as const).map(
    (accept): EvalTask => ({
      name: `confirm-${accept ? 'accepted' : 'dismissed'}`,
      about: 'A8 confirm waits for the model',
      page: confirmPage,
      async solve(s) {
        await s.open()
        must(await s.click(/button "Cancel order"/), /Really cancel order 17\?/)
        await s.dialog(accept)
      },
      check: `window.said === ${accept}`,
    }),
  ),
  {
    name: 'prompt-answered',
    about: 'A8 prompt waits for the model',
    page: `<button onclick="window.said = prompt('Your nickname?')">Join</button>`,
    async solve(s) {
      await s.open()
      must(await s.click(/button "Join"/), /Your nickname/)
      await s.dialog(true, 'ada')
    },
    check: `window.said === 'ada'`,
  },
  {
    name: 'confirm-unanswered',
    about: 'A8 a dialog that nobody answers is dismissed in time',
    page: confirmPage,
    async solve(s) {
      await s.open()
      await s.click(/button "Cancel order"/)
      await s.wait(11).catch(() => '')
      must(await s.look(), /Cancel order/)
    },
    check: `window.said === false`,
    oursOnly: true,
  },
  {
    name: 'beforeunload-held',
    about: 'A8 leaving a page that asks is held',
    page: `<input aria-label="Draft"><a href="/away">Leave</a><script>addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue = 'x' })</script>`,
    paths: { '/away': '<title>Away</title><script>window.away = true</script>' },
    async solve(s) {
      await s.open()
      await s.type('words', /"Draft"/)
      must(await s.click(/link "Leave"/), /leave|unload|unsaved|dialog/i)
      await s.dialog(true)
      await s.wait(1)
    },
    check: 'window.away === true',
  },
  {
    name: 'download-told',
    about: 'B17 a download is told with its name',
    page: `<a href="/invoice">Download invoice</a>`,
    paths: {
      '/invoice': (_, response) =>
        void response
          .writeHead(200, {
            'content-type': 'application/pdf',
            'content-disposition': 'attachment; filename="invoice-117.pdf"',
          })
          .end(pdf(['Invoice 117'])),
    },
    async solve(s) {
      await s.open()
      must(await s.click(/link "Download invoice"/), /invoice-117\.pdf/)
    },
    oursOnly: true,
  },
  {
    name: 'file-input-told',
    about: 'B9 a click on a file input says what to do',
    page: `<label>Photo <input type="file"></label>`,
    async solve(s) {
      await s.open()
      const tree = await s.look()
      const [line] = linesOf(tree, /Photo.*e\d+|file.*e\d+/i)
      if (!line?.ref) throw new Unsolved(`no ref: ${tree}`)
      const { text } = await s.attempt('computer', { action: 'left_click', ref: line.ref })
      must(text, /file/i)
      mustNot(text, /^Clicked [^\n]*$/)
    },
    oursOnly: true,
  },
  {
    name: 'permission-told',
    about: 'B17 a permission prompt is denied and told',
    page: `<button onclick="navigator.geolocation.getCurrentPosition(() => {}, (e) => { window.denied = e.code; out.textContent = 'No position' })">Near me</button><p id="out"></p>`,
    async solve(s) {
      await s.open()
      must(await s.click(/button "Near me"/), /location|permission/i)
    },
    check: 'window.denied === 1',
    oursOnly: true,
  },
  {
    name: 'print-does-not-hold',
    about: 'B19 print() does not hold the click up',
    page: `<button onclick="print(); window.done = true">Print</button>`,
    async solve(s) {
      await s.open()
      await s.click(/button "Print"/)
    },
    check: 'window.done === true',
  },
]
