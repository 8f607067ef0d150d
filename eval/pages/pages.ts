import { GOODS } from '../../src/demo/shop/goods.ts'
import { page as shopPage } from '../../src/demo/shop/layout.ts'
import { productList } from '../../src/demo/shop/pages.ts'
import { html } from '../../src/web/html.ts'

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
/** One click that changes one line, some time after it. */
const TRY = `<p id="out">Nothing yet.</p><button onclick="setTimeout(() => { out.textContent = 'It worked.' }, 150)">Try it</button>`
const words = 'The kettle sings before it boils and the leaves wait in their pot for the water to come'

/** Five typical pages, each with a button that changes one line. */
export const TYPICAL: Readonly<Record<string, string>> = {
  'shop front': shopPage(
    'Tea',
    { inCart: 0, query: '', asksForCookies: false },
    html`${productList('Tea', [...GOODS.products, ...GOODS.products, ...GOODS.products])}`,
  ).replace('</main>', `${TRY}</main>`),
  'table of 1,000 rows': `<h1>Orders</h1>${TRY}<table><tr><th>Number</th><th>Name</th><th>Total</th><th></th></tr>${times(1_000, (at) => `<tr><td>KL-${at}</td><td>Customer ${at}</td><td>$${at}.50</td><td><a href="/o/${at}">Open</a></td></tr>`).join('')}</table>`,
  article: `<nav>${times(20, (at) => `<a href="/s/${at}">Section ${at}</a> `).join('')}</nav><main><h1>On tea</h1>${TRY}${times(60, (at) => `<h2>Part ${at}</h2><p>${words}. <a href="/n/${at}">Note ${at}</a> ${words}.</p>`).join('')}</main>`,
  'form of 40 fields': `<h1>Application</h1>${TRY}<form>${times(40, (at) => `<p><label for="f${at}">Field ${at}</label> ${at % 4 === 0 ? `<select id="f${at}">${times(12, (n) => `<option>Choice ${n}</option>`).join('')}</select>` : `<input id="f${at}"${at % 4 === 1 ? ' type="checkbox"' : ''}>`}</p>`).join('')}</form>`,
  'list of mails': `<style>.row{display:flex;gap:9px;cursor:pointer}</style><h1>Inbox</h1>${TRY}<div id="l">${times(50, (at) => `<div class="row"><input type="checkbox" aria-label="Select mail ${at}"><span>Sender ${at}</span><b>Subject of mail ${at}</b><span>${words}</span><span>${at} min</span></div>`).join('')}</div><script>l.addEventListener('click', () => {})</script>`,
}
