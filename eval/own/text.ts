import { linesOf } from '../harness/hands.ts'
import { type EvalTask, must, mustNot, Unsolved } from '../harness/task.ts'

const seen = (name: string, about: string, page: string, wanted: readonly RegExp[]): EvalTask => ({
  name,
  about,
  page,
  async solve(s) {
    await s.open()
    const tree = await s.look()
    for (const each of wanted) must(tree, each, 'the tree')
  },
})

/** What a person sees has a line; what is said is not bent. */
export const TEXT: readonly EvalTask[] = [
  seen(
    'aria-hidden-visible',
    'B18 visible though hidden from assistive technology',
    `<h1>Sale</h1>
<p aria-hidden="true">Only 3 left</p><div aria-hidden="true"><button onclick="1">Add to basket</button></div>`,
    [/Only 3 left/, /Add to basket/],
  ),
  seen(
    'pseudo-text',
    'text of ::before and ::after',
    `<style>.p::before{content:"From "}.p::after{content:" per night"}
.req::after{content:"(required)"}</style><p class="p">$80</p><label class="req">Name <input></label>`,
    [/From/, /per night/],
  ),
  seen(
    'content-visibility',
    'B18 content that is not drawn yet',
    `<div style="height:3000px"></div>
<div style="content-visibility:auto;contain-intrinsic-size:400px"><h2>Far below</h2><button>Deep button</button></div>`,
    [/Deep button/],
  ),
  seen(
    'image-without-alt',
    'B18 a picture without alt is told by its file name',
    `<h1>Team</h1>
<img src="/img/floor-plan-2026.png" width="90" height="90"><a href="/x"><img src="/i/basket-icon.svg" width="20" height="20"></a>`,
    [/floor-plan-2026/, /basket-icon/],
  ),
  seen(
    'icon-buttons',
    'B18 icons get what can be known',
    `<button title="Delete"><svg width="16" height="16"></svg></button>
<button class="btn icon-download"><i></i></button><button><img src="/i/print.png" width="16" height="16"></button>
<button data-testid="share-button"><svg width="16" height="16"></svg></button>`,
    [/Delete.*e\d+/, /e\d+.*icon=download/, /print.*e\d+/i],
  ),
  seen(
    'select-60-options',
    'B18 options beyond the 30th',
    `<label>Country <select>${Array.from({ length: 60 }, (_, i) => `<option>Land ${i}</option>`).join('')}</select></label>`,
    [/combobox "Country".*e\d+/],
  ),
  seen(
    'datalist',
    'B18 suggestions of a datalist',
    `<label>Tea <input list="teas"></label>
<datalist id="teas"><option>Sencha</option><option>Gyokuro</option></datalist>`,
    [/Gyokuro/],
  ),
  seen(
    'svg-and-title',
    'SVG text and titles',
    `<svg width="200" height="60" role="img"><title>Sales 2026</title><text x="5" y="20">Q1 410</text></svg>
<abbr title="World Health Organization">WHO</abbr>`,
    [/Sales 2026|Q1 410/],
  ),
  {
    name: 'pre-keeps-lines',
    about: 'B16 white space of pre and of values stays',
    page: `<pre>def tea():\n    return "pot"\n\n    # done</pre><textarea aria-label="Code">a\n  b</textarea>`,
    async solve(s) {
      await s.open()
      must(await s.text(), /def tea\(\):\n {4}return "pot"\n\n {4}# done/, 'get_page_text')
    },
    oursOnly: true,
  },
  {
    name: 'plain-text-document',
    about: 'B16 lines of a text document stay',
    paths: {
      '/': (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/plain' }).end('name  qty\ntea   2\n\npot   1\n'),
    },
    async solve(s) {
      await s.open()
      must(await s.text(), /name {2}qty\ntea {3}2\n\npot {3}1/, 'get_page_text')
    },
    oursOnly: true,
  },
  {
    name: 'words-are-not-torn',
    about: 'B16 inline pieces of a word stay one word, blocks stay apart',
    page: `<p>Saved <b>as</b>.gif and <i>re</i>start, H<sub>2</sub>O</p><div><div>Adults</div><div>Children</div></div><p>one<br>two</p>`,
    async solve(s) {
      await s.open()
      const text = await s.text()
      must(text, /as\.gif/, 'get_page_text')
      must(text, /restart/, 'get_page_text')
      mustNot(text, /AdultsChildren|onetwo/, 'get_page_text')
      const tree = await s.look()
      mustNot(tree, /as \.gif|re start/, 'the tree')
      mustNot(tree, /Adults Children|AdultsChildren/, 'the tree')
    },
    oursOnly: true,
  },
  {
    name: 'layout-tables-once',
    about: 'B16 text of nested layout tables is said once',
    page: `<table><tr><td><table><tr><td><table><tr><td>Only once, please</td></tr></table></td></tr></table></td></tr></table>`,
    async solve(s) {
      await s.open()
      const tree = await s.look()
      const times = linesOf(tree, /Only once, please/).length
      if (times !== 1) throw new Unsolved(`it is said ${times} times: ${tree}`)
    },
  },
  {
    name: 'same-names-in-rows',
    about: 'a button is told from its namesakes by its row',
    page: `<table>${['Ada', 'Grace', 'Alan'].map((n) => `<tr><td>${n}</td><td><button onclick="window.gone='${n}'">Delete</button></td></tr>`).join('')}</table>`,
    async solve(s) {
      await s.open()
      const tree = await s.look()
      await s.click(await s.ref(/button "Delete"/, tree.slice(tree.indexOf('Grace'))))
    },
    check: `window.gone === 'Grace'`,
  },
  {
    name: 'new-lines-are-marked',
    about: 'trees: new lines since the last look are marked',
    page: `<button onclick="more.innerHTML='<button>Second</button>'">First</button><div id="more"></div>`,
    async solve(s) {
      await s.open()
      await s.look()
      await s.click(/button "First"/)
      must(await s.look(), /^\s*\*.*"Second"/m, 'the tree')
    },
    oursOnly: true,
  },
  {
    name: 'visible-first',
    about: 'what is in the viewport comes first when a page is cut',
    page: `${Array.from({ length: 400 }, (_, i) => `<p>Paragraph ${i} <a href="#${i}">Link ${i}</a></p>`).join('')}
<script>addEventListener('load', () => scrollTo(0, document.body.scrollHeight * 0.75))</script>`,
    async solve(s) {
      await s.open()
      await s.wait(0.3)
      must(await s.call('read_page', { max_chars: 4000 }), /Link 3\d\d/, 'the tree')
    },
    oursOnly: true,
  },
]
