import { refIn } from '../harness/hands.ts'
import type { Widget } from './tasks.ts'

const EDITOR = /textbox[^\n]*\[/
const CM5 = `import CodeMirror from 'codemirror5'\nimport 'codemirror5/lib/codemirror.css'\nwindow.editor = CodeMirror(document.getElementById('e'), { value: 'old();', lineNumbers: true })`
const CM6 = `import { basicSetup, EditorView } from 'codemirror'\nwindow.editor = new EditorView({ doc: 'old();', extensions: [basicSetup], parent: document.getElementById('e') })`
const PROSE = `import { schema } from 'prosemirror-schema-basic'
import { exampleSetup } from 'prosemirror-example-setup'
import { EditorState } from 'prosemirror-state'
import { EditorView } from 'prosemirror-view'
import 'prosemirror-view/style/prosemirror.css'
import 'prosemirror-menu/style/menu.css'
window.view = new EditorView(document.getElementById('e'), { state: EditorState.create({ schema, plugins: exampleSetup({ schema }) }) })`
const TEXT = `view.state.doc.textBetween(0, view.state.doc.content.size, '\\n')`

const SORTABLE = (group: string) =>
  `import Sortable from 'sortablejs'\nfor (const list of document.querySelectorAll('ul')) new Sortable(list, { group: '${group}', animation: 100 })`
const list = (id: string, items: readonly string[]) =>
  `<ul id="${id}" style="min-height:40px;padding:6px;border:1px solid #999">${items.map((item) => `<li style="padding:8px;margin:2px;background:#eef">${item}</li>`).join('')}</ul>`

const REACT = (
  body: string,
) => `import { useState } from 'react'\nimport { createRoot } from 'react-dom/client'\n${body}
createRoot(document.getElementById('e')).render(<App />)`
const ROOM = '<div id="e"></div>'

/** Editors, lists that are sorted by dragging, and forms of React. */
export const EDITORS: readonly Widget[] = [
  ...(['codemirror5', 'codemirror6'] as const).flatMap((name): Widget[] => {
    const script = name === 'codemirror5' ? CM5 : CM6
    const value = name === 'codemirror5' ? 'editor.getValue()' : 'editor.state.doc.toString()'
    return [
      {
        name: `${name}-replace`,
        page: ROOM,
        script,
        async solve(s) {
          await s.open()
          await s.fill(EDITOR, 'const tea = 2\nbrew(tea)')
        },
        check: `${value} === 'const tea = 2\\nbrew(tea)'`,
      },
      {
        name: `${name}-append`,
        page: ROOM,
        script,
        async solve(s) {
          await s.open()
          await s.press('ctrl+End', EDITOR)
          await s.type(' fresh()')
        },
        check: `${value} === 'old(); fresh()'`,
      },
    ]
  }),
  {
    name: 'prosemirror-fill',
    page: ROOM,
    script: PROSE,
    async solve(s) {
      await s.open()
      await s.fill(EDITOR, 'Dear Ada')
    },
    check: `${TEXT} === 'Dear Ada'`,
  },
  {
    name: 'prosemirror-bold',
    page: ROOM,
    script: PROSE,
    async solve(s) {
      await s.open()
      await s.type('Dear ', EDITOR)
      await s.press('ctrl+b')
      await s.type('Ada')
    },
    check: `/<strong>Ada<\\/strong>/.test(view.dom.innerHTML)`,
  },
  {
    name: 'prosemirror-menu',
    page: ROOM,
    script: PROSE,
    async solve(s) {
      await s.open()
      await s.type('Shopping list', EDITOR)
      const told = await s.click(/Type\.\.\./)
      const more = await s.click(refIn(told, /Heading/) ?? /Heading/)
      await s.click(refIn(more, /Level 2/) ?? /Level 2/)
    },
    check: `view.dom.querySelector('h2')?.textContent === 'Shopping list'`,
  },
  {
    name: 'sortable-order',
    page: list('a', ['Milk', 'Bread', 'Tea', 'Rice']),
    script: SORTABLE('one'),
    async solve(s) {
      await s.open()
      await s.drag(/"?Rice"?/, /"?Milk"?/)
    },
    check: `[...document.querySelectorAll('#a li')].findIndex((li) => li.textContent === 'Rice') <= 1`,
  },
  {
    name: 'sortable-between-lists',
    page: `<h2>To do</h2>${list('a', ['Milk', 'Bread'])}<h2>Done</h2>${list('b', ['Tea'])}`,
    script: SORTABLE('both'),
    async solve(s) {
      await s.open()
      await s.drag(/"?Bread"?/, /"?Tea"?/)
    },
    check: `document.getElementById('b').textContent.includes('Bread')`,
  },
  {
    name: 'react-controlled',
    page: ROOM,
    script: REACT(`function App() { const [v, set] = useState(''); window.state = v
return <label>Name <input value={v} onChange={(e) => set(e.target.value.toUpperCase())} /></label> }`),
    async solve(s) {
      await s.open()
      await s.fill(/textbox "Name"/, 'Ada')
    },
    check: `window.state === 'ADA'`,
  },
  {
    name: 'react-form',
    page: ROOM,
    script:
      REACT(`function App() { const [v, set] = useState({ size: 'S', gift: false, note: '', count: 1 }); window.state = v
const put = (key, value) => set((old) => ({ ...old, [key]: value }))
return <form onSubmit={(e) => { e.preventDefault(); window.sent = v }}>
<label>Size <select value={v.size} onChange={(e) => put('size', e.target.value)}><option>S</option><option>XL</option></select></label>
<label><input type="checkbox" checked={v.gift} onChange={(e) => put('gift', e.target.checked)} /> Gift</label>
<label>Note <textarea value={v.note} onChange={(e) => put('note', e.target.value)} /></label>
<label>Count <input type="number" value={v.count} onChange={(e) => put('count', Number(e.target.value))} /></label>
<button disabled={v.note === ''}>Send</button></form> }`),
    async solve(s) {
      await s.open()
      await s.fill(/combobox "Size"/, 'XL')
      await s.fill(/checkbox "Gift"/, true)
      await s.fill(/textbox "Note"/, 'For Ada')
      await s.fill(/spinbutton "Count"/, 3)
      await s.click(/button "Send"/)
    },
    check: `JSON.stringify(window.sent) === '{"size":"XL","gift":true,"note":"For Ada","count":3}'`,
  },
  {
    name: 'react-list-redrawn',
    page: ROOM,
    script: REACT(`function App() { const [n, set] = useState([0, 0, 0])
window.counts = n.join()
return <ul>{n.map((count, at) => <li key={at + '-' + count}>Row {at} <button onClick={() => set(n.map((c, i) => (i === at ? c + 1 : c)))}>Add to row {at}</button> {count}</li>)}</ul> }`),
    async solve(s) {
      await s.open()
      const ref = await s.ref(/button "Add to row 1"/)
      await s.click(ref)
      await s.click(ref)
      await s.click(ref)
    },
    check: `window.counts === '0,3,0'`,
  },
]
