import type { AgentTask } from './tasks.ts'

const done = `const done = (what) => fetch('/done?' + new URLSearchParams(what))`
const late = (ms: number, body: string) => `fetch('/slow?${ms}').then(() => { ${body} })`

export const MORE_SITES: readonly AgentTask[] = [
  {
    name: 'third-page-of-a-table',
    task: 'Set the stock of "Winter teapot" to 40 and tell me what the shop says.',
    pages: {
      '/': `<title>Stock</title><table id="t"></table><button id="next">Next page</button><p id="p"></p><script>${done}
const names = ['Kyoto teapot', 'Harbour teapot', 'Morning mug', 'Paper cup', 'Bamboo whisk', 'Winter teapot']; let page = 0
const draw = () => { t.innerHTML = names.slice(page * 2, page * 2 + 2).map((n) => '<tr><td>' + n + '</td><td><a href="/edit?n=' + n + '">Edit ' + n + '</a></td></tr>').join(''); p.textContent = 'Page ' + (page + 1) + ' of 3' }
next.onclick = () => { ${late(200, 'page = Math.min(2, page + 1); draw()')} }; draw()</script>`,
      '/edit': `<title>Edit</title><label>Stock <input type="number" id="s" value="7"></label><button id="b">Save</button><p id="out" role="status"></p><script>${done}
b.onclick = () => { done({ n: new URLSearchParams(location.search).get('n'), stock: s.value }); ${late(350, `out.textContent = 'Stock is now ' + s.value`)} }</script>`,
    },
    async solve(m) {
      await m.act(['click', /button "Next page"/])
      await m.learn(/Page 2 of 3/)
      await m.act(['click', /button "Next page"/])
      await m.learn(/Page 3 of 3/)
      await m.act(['click', /link "Edit Winter teapot"/])
      await m.act(['fill', /spinbutton "Stock"/, 40], ['click', /button "Save"/])
      return m.learn(/Stock is now 40/)
    },
    done: [/n=Winter\+teapot&stock=40/],
    answer: /Stock is now 40/,
  },
  {
    name: 'form-with-an-error',
    task: 'Order the catalogue to 12 Tea Lane, postcode 4711 (write it with a leading zero if they want five digits), and tell me the reference.',
    pages: {
      '/': `<title>Catalogue</title><form id="f"><label>Street <input id="a"></label><label>Postcode <input id="z"></label><button>Order</button></form><p id="e" role="alert"></p><script>${done}
f.onsubmit = (v) => { v.preventDefault(); e.textContent = ''; ${late(300, `if (z.value.length !== 5) e.textContent = 'A postcode has five digits.'; else { done({ z: z.value, a: a.value }); f.outerHTML = '<p>Reference CAT-88</p>' }`)} }</script>`,
    },
    async solve(m) {
      await m.act(
        ['fill', /textbox "Street"/, '12 Tea Lane'],
        ['fill', /textbox "Postcode"/, '4711'],
        ['click', /button "Order"/],
      )
      await m.learn(/five digits/)
      await m.act(['fill', /textbox "Postcode"/, '04711'], ['click', /button "Order"/])
      return m.learn(/Reference (CAT-\d+)/)
    },
    done: [/z=04711/],
    answer: /CAT-88/,
  },
  {
    name: 'stepper-and-extras',
    task: 'A table for four with a high chair, please: tell me the total.',
    pages: {
      '/': `<title>Table</title><h1>Your table</h1><button id="m" aria-label="Fewer guests">−</button><output id="n">1</output><button id="p" aria-label="More guests">+</button><details><summary>Extras</summary><label><input type="checkbox" id="h"> High chair</label></details><button id="b">Reserve</button><p id="out"></p><script>${done}
let c = 1; p.onclick = () => { n.textContent = ++c + ' guests' }; m.onclick = () => { n.textContent = --c + ' guests' }
b.onclick = () => { done({ c, h: h.checked }); ${late(400, `out.textContent = 'Total: $' + (c * 10 + (h.checked ? 3 : 0)) + '.00'`)} }</script>`,
    },
    async solve(m) {
      const more = ['click', /button "More guests"/] as const
      await m.act(more, more, more)
      await m.learn(/4 guests/)
      await m.act(['click', /Extras.*\[/])
      await m.act(['fill', /checkbox "High chair"/, true], ['click', /button "Reserve"/])
      return m.learn(/Total: (\$[\d.]+)/)
    },
    done: [/c=4&h=true/],
    answer: /\$43\.00/,
  },
  {
    name: 'banner-and-faq',
    task: 'How long can I send goods back? It is in the questions and answers.',
    pages: {
      '/': `<title>Shop</title><div id="k" style="position:fixed;inset:0;background:#fffd"><p>We use cookies.</p><button onclick="k.remove()">Only necessary</button></div><nav><a href="/faq">Questions and answers</a></nav>`,
      '/faq': `<title>Questions</title><button onclick="x.hidden = false">Delivery</button><button id="r">Returns</button><p id="x" hidden>Two days.</p><div id="out"></div><script>r.onclick = () => { ${late(350, `out.innerHTML = '<p>Goods may be sent back for 45 days.</p>'`)} }</script>`,
    },
    async solve(m) {
      await m.act(['click', /button "Only necessary"/])
      await m.act(['click', /link "Questions and answers"/])
      await m.act(['click', /button "Returns"/])
      return `Goods can be sent back for ${await m.learn(/(45 days)/)}.`
    },
    done: [],
    answer: /45 days/,
  },
]
