import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { diffTrees } from '../../src/browser/act/tree/diff.ts'
import { outlineOf } from '../../src/browser/act/tree/outline.ts'
import type { Tree, TreeLine } from '../../src/browser/act/tree/read.ts'
import { treeText } from '../../src/browser/act/tree/text.ts'

const test = suite('what changed between two trees')

const told = (before: Tree | null, after: Tree, maxChars = 12_000): string[] =>
  outlineOf(before && { tree: before, untold: new Set() }, after, maxChars).lines

const treeOf = (lines: Readonly<Record<string, string>>, after = 0): Tree => ({
  title: '',
  url: '',
  before: 0,
  after,
  page: 1,
  pages: 1,
  fingerprint: '',
  notes: [],
  lines: Object.entries(lines).map(
    ([key, text]): TreeLine => ({ key, text, depth: 0, ref: null, actionable: false, inView: false, isNew: false }),
  ),
})

test('lines that came, changed and went are told, and nothing else', () => {
  const before = treeOf({ a: 'text "One"', b: 'text "Two"', c: 'button "Buy" [e1]' })
  const after = treeOf({ a: 'text "One"', c: 'button "Buy" [e1] disabled', d: 'text "Sold"' })
  assert.is(diffTrees(before, after, 1_000), '~ button "Buy" [e1] disabled\n+ text "Sold"\n- text "Two"')
  assert.is(diffTrees(before, before, 1_000), '')
})

const line = (key: string, depth: number, text: string): TreeLine => ({
  ...(treeOf({ [key]: text }).lines[0] as TreeLine),
  depth,
})

test('[G22] what changed is indented under what it is in (G12)', () => {
  const rows = [line('a', 0, 'list'), line('b', 1, 'listitem "Tea"'), line('c', 1, 'listitem "Milk \\"1 l\\""')]
  const [list, tea, milk] = rows as [TreeLine, TreeLine, TreeLine]
  const buttons = [line('d', 2, 'button "×" [e1]'), line('e', 2, 'button "×" [e2]')] as [TreeLine, TreeLine]
  const alone = line('f', 2, 'button "Only" [e3]')
  const before = { ...treeOf({}), lines: rows }
  const after = { ...treeOf({}), lines: [list, tea, buttons[0], milk, buttons[1], alone] }
  assert.is(
    diffTrees(before, after, 1_000),
    'listitem "Tea"\n  + button "×" [e1]\nlistitem "Milk \\"1 l\\""\n  + button "×" [e2]\n  + button "Only" [e3]',
  )
})

test('[G22] what is added with what is in it keeps its structure, and what the page says to its user comes first', () => {
  const before = { ...treeOf({}), lines: [line('a', 0, 'main'), line('b', 1, 'button "Save" [e1]')] }
  const after = {
    ...before,
    lines: [
      ...before.lines,
      line('c', 1, 'list "Items" [e2]'),
      line('d', 2, 'link "Tea" [e3]'),
      line('e', 0, 'alert'),
      line('f', 1, 'text "Saved"'),
      line('g', 0, 'textbox "Name" [e4] invalid'),
    ],
  }
  assert.is(
    diffTrees(before, after, 1_000),
    '+ alert\n  + text "Saved"\n+ textbox "Name" [e4] invalid\n+ list "Items" [e2]\n  + link "Tea" [e3]',
  )
})

test('[G22] of what was removed the outermost named line is told, and how much was in it', () => {
  const before = {
    ...treeOf({}),
    lines: [
      line('a', 0, 'dialog "Add" [e1]'),
      line('b', 1, 'textbox "Name" [e2]'),
      line('c', 1, 'button "OK" [e3]'),
      line('d', 0, 'list'),
      line('e', 1, 'link "Tea" [e4]'),
    ],
  }
  assert.is(diffTrees(before, treeOf({}), 1_000), '- dialog "Add" [e1] and 2 lines in it\n- link "Tea" [e4]')
})

test('what was only drawn anew is no change', () => {
  assert.is(diffTrees(treeOf({ a: 'link "Home" [e1]' }), treeOf({ b: 'link "Home" [e1]' }), 1_000), '')
  // Whoever knows the old reference has to hear of the new one.
  const other = diffTrees(treeOf({ a: 'link "Home" [e1]' }), treeOf({ b: 'link "Home" [e9]' }), 1_000)
  assert.is(other, '+ link "Home" [e9]\n- link "Home" [e1]')
  const twice = diffTrees(treeOf({ a: 'text "Row"' }), treeOf({ b: 'text "Row"', c: 'text "Row"' }), 1_000)
  assert.is(twice, '+ text "Row"')
})

test('of a page that was read in part, what is not in that part is not gone', () => {
  assert.is(diffTrees(treeOf({ a: 'text "Far"' }, 9), treeOf({ b: 'text "Other"' }, 9), 1_000), '')
})

test('what does not fit is counted', () => {
  const many = treeOf(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, `text "Line ${n}"`])))
  const told = diffTrees(treeOf({}), many, 200)
  assert.ok(told.length <= 200, told)
  assert.match(told, /^\+ text "Line 0"\n[\s\S]*\n… and \d+ more changes$/)
})

test('of much that went only the first lines are told', () => {
  const many = treeOf(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, `text "Line ${n}"`])))
  const told = diffTrees(many, treeOf({}), 6_000).split('\n')
  assert.equal([told[0], told.at(-1), told.length], ['- text "Line 0"', '- … and 41 more lines', 10])
})

test('[G22] navigation that was on the page before is one line where it is long, and stays where it is short', () => {
  const page = (links: number, main: string) => ({
    ...treeOf({}),
    lines: [
      line('n', 0, 'navigation'),
      ...Array.from({ length: links }, (_, n) => line(`l${n}`, 1, `link "Section ${n}" [e${n}]`)),
      line('m', 0, 'main'),
      line('h', 1, `heading "${main}" level=1`),
    ],
  })
  assert.equal(told(page(8, 'Orders'), page(8, 'Order 7')), [
    '… 9 lines as on the page before',
    'main',
    '  heading "Order 7" level=1',
  ])
  assert.is(told(page(3, 'Orders'), page(3, 'Order 7')).length, 6)
  assert.is(told(null, page(8, 'Order 7')).length, 11)
})

test('[G22] of a long list what stands below it is told before its last rows', () => {
  const rows = Array.from({ length: 100 }, (_, at) => line(`r${at}`, 1, `row "Customer ${at}"`))
  const list = { ...treeOf({}), lines: [line('m', 0, 'main'), ...rows, line('c', 1, 'text "100 results"')] }
  const lines = told(treeOf({}), list, 1_000)
  assert.is(lines[1], '  row "Customer 0"')
  assert.is(lines.at(-1), '  text "100 results"')
})

test('[G22] a field that lost the focus is no change, whatever its states are', () => {
  const before = treeOf({
    a: 'textbox "User" [e3] required focused value="ada"',
    b: 'textbox "Password" [e4] required',
  })
  const after = treeOf({
    a: 'textbox "User" [e3] required value="ada"',
    b: 'textbox "Password" [e4] required focused value="••••••••"',
  })
  assert.is(diffTrees(before, after, 1_000), '~ textbox "Password" [e4] required focused value="••••••••"')
})

const used = (key: string, depth: number, text: string): TreeLine => ({
  ...line(key, depth, text),
  ref: /\[(\w+)\]/.exec(text)?.[1] ?? null,
})

test('[G22] what a field holds is not told twice, but that it is refused is', () => {
  const before = { ...treeOf({}), lines: [used('a', 0, 'combobox "Size" [e1] value="S" options: *S | M')] }
  const after = { ...treeOf({}), lines: [used('a', 0, 'combobox "Size" [e1] focused value="M" options: S | *M')] }
  assert.is(diffTrees(before, after, 1_000, 'e1'), '')
  assert.match(diffTrees(before, after, 1_000, 'e2'), /^~ combobox/)
  const refused = {
    ...treeOf({}),
    lines: [used('a', 0, 'combobox "Size" [e1] focused invalid value="M" options: S | *M')],
  }
  assert.match(diffTrees(before, refused, 1_000, 'e1'), /^~ combobox "Size" \[e1\] focused invalid/)
})

test('[G16] what was drawn anew with its reference has changed; in another part it is new', () => {
  const before = {
    ...treeOf({}),
    lines: [
      used('a', 0, 'tab "Open" [e1] selected'),
      used('b', 0, 'tab "Recent" [e2]'),
      line('c', 0, 'list "Open"'),
      used('d', 1, 'link "Sencha" [e3]'),
    ],
  }
  const after = {
    ...treeOf({}),
    lines: [
      used('e', 0, 'tab "Open" [e1]'),
      used('f', 0, 'tab "Recent" [e2] selected'),
      line('g', 0, 'tabpanel'),
      line('h', 1, 'text "26th November"'),
      used('i', 1, 'link "Sencha" [e3]'),
    ],
  }
  assert.is(
    diffTrees(before, after, 1_000),
    '~ tab "Open" [e1]\n~ tab "Recent" [e2] selected\n+ tabpanel\n  + text "26th November"\n  + link "Sencha" [e3]\n- list "Open"',
  )
})

test('[G22] what was on the page before is left out where it is much; what is filled in, pressed or a row is not', () => {
  const links = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) => line(`${name}${n}`, 0, `link "${name} ${n}" [e${n}]`))
  const page = (main: string, tail = 7) => ({
    ...treeOf({}),
    lines: [
      ...links('Section', 4),
      line('s', 0, 'textbox "Search:" [e10]'),
      line('t', 0, 'button "Search" [e11]'),
      line('h', 0, `heading "${main}" level=1`),
      line('f', 0, 'textbox "Name" [e20]'),
      line('b', 0, 'button "Save" [e21]'),
      ...Array.from({ length: 4 }, (_, n) => [
        line(`r${n}`, 0, `row "Tea ${n}"`),
        line(`e${n}`, 1, 'link "Delete" [e22]'),
      ]).flat(),
      ...links('Company', tail),
    ],
  })
  const rows = Array.from({ length: 4 }, (_, n) => [`row "Tea ${n}"`, '  link "Delete" [e22]']).flat()
  assert.equal(told(page('Wiki'), page('Refused')), [
    '… 6 lines as on the page before',
    'heading "Refused" level=1',
    'textbox "Name" [e20]',
    'button "Save" [e21]',
    ...rows,
    '… 7 lines as on the page before',
  ])
  assert.is(told(page('Wiki'), page('Refused', 5)).filter((each) => each.startsWith('link "Company')).length, 5)
})

test('[G22] what is above something new stays, and what was left out of a page before is not known', () => {
  const page = (last: string) => ({
    ...treeOf({}),
    lines: [
      ...Array.from({ length: 8 }, (_, n) => line(`a${n}`, 0, `text "Line ${n}"`)),
      line('h', 0, 'heading "History" level=2'),
      line('l', 0, 'list'),
      line('n', 1, `text "${last}"`),
    ],
  })
  assert.equal(told(page('Made'), page('Changed')), [
    '… 8 lines as on the page before',
    'heading "History" level=2',
    'list',
    '  text "Changed"',
  ])
  const { untold } = outlineOf(null, page('Made'), 150)
  assert.ok(untold.size > 0)
  const { lines } = outlineOf({ tree: page('Made'), untold }, page('Made'), 12_000)
  for (const { key, text } of page('Made').lines)
    if (untold.has(key))
      assert.ok(
        lines.some((each) => each.endsWith(text)),
        text,
      )
})

test('[G22] addresses are as short as that of the page makes them, and none is longer than 80 characters', () => {
  const url = 'http://shop.test/admin/customer/'
  const links = [
    { ...line('a', 0, 'link "Ada" [e1] -> /admin/customer/7/'), ref: 'e1' },
    { ...line('b', 0, `link "Name" [e2] -> /admin/customer/?columns=${'name,'.repeat(30)}`), ref: 'e2' },
    { ...line('c', 0, 'link "In a frame" [f1e3] -> /admin/customer/7/'), ref: 'f1e3' },
    { ...line('d', 0, 'checkbox "Ada" [e4] not checked focused'), ref: 'e4' },
  ]
  const tree = { ...treeOf({}), url, lines: links }
  const [ada, name = '', frame, box] = told(null, tree)
  assert.is(ada, 'link "Ada" [e1] -> ./7/')
  assert.match(name, /^link "Name" \[e2\] -> \?columns=name,.*…$/)
  assert.is(name.length, 'link "Name" [e2] -> '.length + 80)
  assert.is(frame, 'link "In a frame" [f1e3] -> /admin/customer/7/')
  assert.is(box, 'checkbox "Ada" [e4] focused')
  assert.is(treeText(tree).split('\n')[1], ada)
  assert.is(treeText(tree, '', true).split('\n')[1], links[0]?.text)
  const changes = diffTrees({ ...treeOf({}), url }, tree, 6_000).split('\n')
  assert.equal([changes[0], changes[3]], [`+ ${ada}`, '+ checkbox "Ada" [e4] not checked focused'])
})

test.run()
