import { Html, html } from '../../web/html.ts'

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><circle cx='8' cy='8' r='7' fill='%232f5d62'/></svg>"

const STYLE = `
:root { --ink: #1f2d2b; --soft: #5d6b68; --line: #e3ddd2; --paper: #fbf8f3; --card: #fff; --leaf: #2f5d62; --warn: #a4262c }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.5 Georgia, 'Times New Roman', serif; color: var(--ink); background: var(--paper) }
header, main, footer { max-width: 60rem; margin: 0 auto; padding: 1rem 1.25rem }
header { display: flex; gap: 1.25rem; align-items: center; flex-wrap: wrap; border-bottom: 1px solid var(--line) }
.brand { font-size: 1.4rem; font-weight: bold; color: var(--leaf); text-decoration: none; margin-right: auto }
a { color: var(--leaf) }
h1 { font-size: 1.7rem; margin: .75rem 0 1rem }
input, select, textarea, button, .button { font: inherit; border-radius: .5rem; border: 1px solid #9aa5a2; padding: .5rem .7rem; background: var(--card) }
button, .button { background: var(--leaf); border-color: var(--leaf); color: #fff; cursor: pointer; text-decoration: none; display: inline-block }
:focus-visible { outline: 3px solid #f6ae2d; outline-offset: 2px }
.search { display: flex; gap: .5rem; align-items: center; flex-wrap: wrap }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1.25rem; list-style: none; padding: 0 }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1rem }
.card svg, .product svg { width: 100%; height: auto; border-radius: .75rem }
.card h2 { font-size: 1.1rem; margin: .6rem 0 .1rem }
.kind { color: var(--soft); font-size: .9rem }
.price { font-weight: bold }
.product { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 2rem }
.field { display: grid; gap: .25rem; margin-bottom: 1rem; max-width: 28rem }
.check { display: flex; gap: .6rem; align-items: baseline; margin-bottom: .75rem }
.wrong { color: var(--warn); font-size: .9rem }
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); margin-bottom: 1.25rem }
th, td { text-align: left; padding: .6rem .8rem; border-bottom: 1px solid var(--line) }
.amount { text-align: right }
.cookies { position: fixed; left: 0; right: 0; bottom: 0; display: flex; gap: 1rem; align-items: center; flex-wrap: wrap; padding: 1rem 1.25rem; background: var(--ink); color: #fff }
.cookies form { display: flex; gap: .5rem }
iframe { width: 100%; height: 10.5rem; border: 1px solid var(--line); border-radius: .5rem; background: #fff }
footer { color: var(--soft); font-size: .9rem; border-top: 1px solid var(--line); margin-top: 2rem }
`

const COOKIES = html`<div class="cookies" role="region" aria-label="Cookies">
<p>We use cookies for your cart, and would like to use some more.</p>
<form method="post" action="/cookies"><button name="choice" value="necessary">Only necessary</button> <button name="choice" value="all">Accept all</button></form>
</div>`

export interface PageOptions {
  readonly inCart: number
  readonly query: string
  /** The visitor has not chosen yet. */
  readonly asksForCookies: boolean
}

/** A whole page of the shop. */
export const page = (title: string, { inCart, query, asksForCookies }: PageOptions, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Kettle &amp; Leaf</title>
<link rel="icon" href="${ICON}">
<style>${new Html(STYLE)}</style>
</head>
<body>
<header>
<a class="brand" href="/">Kettle &amp; Leaf</a>
<form class="search" action="/search" role="search">
<label for="q">Search the shop</label>
<input id="q" name="q" type="search" value="${query}">
<button>Search</button>
</form>
<a href="/cart">Cart (${inCart})</a>
</header>
<main>
${content}
</main>
<footer>A shop for demonstrations: nothing is sold and nothing is sent.</footer>
${asksForCookies ? COOKIES : html``}
<script src="/shop.js"></script>
</body>
</html>
`.text
