import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ScriptAnswer, ScriptStep } from '../../actors/runtime/ports.ts'
import { FairQueue } from '../../src/script/fair-queue.ts'
import { ThreadScripts } from '../../src/script/scripts.ts'
import { until } from '../support/http-wire.ts'

const test = suite('scripts in their thread')
const scripts = new ThreadScripts(1_500)
/** Some take their time on a loaded machine. */
const patient = new ThreadScripts(60_000)
test.after(() => {
  scripts.close()
  patient.close()
})

type Input = Readonly<Record<string, unknown>>
type Answers = (tool: string, input: Input) => Partial<ScriptAnswer>
let runs = 0

const of = (id: string, workspaceId = 'w') => ({ id, taskId: id, workspaceId })

/** Runs a script to its end: what it asked for, and how it ended. */
async function run(code: string, answers: Answers = () => ({}), runner = scripts, id = `script ${++runs}`) {
  const calls: (readonly [tool: string, input: Input])[] = []
  const given: ScriptAnswer[] = []
  for (;;) {
    const step = await runner.next({ ...of(id), code, answers: given })
    if (step.kind !== 'call') return { calls, given, end: step }
    const input = step.input as Input
    calls.push([step.tool, input])
    const answer = { failed: false, said: '', content: '', ...answers(step.tool, input) }
    given.push({ tool: step.tool, action: input.action ?? null, ...answer })
  }
}
const returned = (step: ScriptStep): string => {
  assert.is(step.kind, 'returned', JSON.stringify(step))
  return step.kind === 'returned' ? step.value : ''
}
const failure = (step: ScriptStep): string => {
  assert.is(step.kind, 'failed', JSON.stringify(step))
  return step.kind === 'failed' ? step.message : ''
}

test('[L41] every verb is a call of a tool, without a look at what it changed', async () => {
  const none = { look: 'none' }
  const verbs: string[] = []
  const expected: (readonly [string, Input])[] = []
  for (const [code, ...calls] of [
    ['click("e1")', ['computer', { action: 'left_click', ref: 'e1', ...none }]],
    [
      'click("f2e1", {double: true, irreversible: true})',
      ['computer', { action: 'double_click', ref: 'f2e1', ...none, intent: 'irreversible' }],
    ],
    ['click("e1", {button: "right"})', ['computer', { action: 'right_click', ref: 'e1', ...none }]],
    [
      'type("e1", "tea", {clear: true})',
      ['computer', { action: 'type', ref: 'e1', text: 'tea', clear: true, ...none }],
    ],
    ['type(null, "tea")', ['computer', { action: 'type', text: 'tea', ...none }]],
    ['set("e1", true)', ['form_input', { ref: 'e1', value: true, ...none }]],
    ['key("Enter")', ['computer', { action: 'key', text: 'Enter', ...none }]],
    ['hover("e1")', ['computer', { action: 'hover', ref: 'e1', ...none }]],
    ['drag("e1", "e2")', ['computer', { action: 'left_click_drag', ref: 'e1', to_ref: 'e2', ...none }]],
    [
      'scroll("up", {amount: 5, target: "e1"})',
      ['computer', { action: 'scroll', scroll_direction: 'up', scroll_amount: 5, ref: 'e1', ...none }],
    ],
    ['navigate("a.example")', ['navigate', { url: 'a.example', ...none }]],
    ['wait(2)', ['computer', { action: 'wait', duration: 2, ...none }]],
    ['wait({text: "Saved", s: 5})', ['computer', { action: 'wait', text: 'Saved', duration: 5, ...none }]],
    ['wait({gone: "Loading"})', ['computer', { action: 'wait', gone: 'Loading', duration: 10, ...none }]],
    ['read({ref: "e1", filter: "interactive", page: 2})', ['read_page', { ref: 'e1', filter: 'interactive', page: 2 }]],
    ['find("pay button")', ['find', { query: 'pay button' }]],
    ['text({page: 2})', ['get_page_text', { page: 2 }]],
    ['rows("e1")', ['read_page', { ref: 'e1', page: 1 }]],
    ['tabs()', ['tabs', { action: 'list' }]],
    ['tabs({action: "switch", tab: 2})', ['tabs', { action: 'switch', tab: 2, ...none }]],
    ['dialog({accept: true})', ['dialog', { accept: true, ...none }]],
    ['note("a price")', ['note', { text: 'a price' }]],
    ['write("a.csv", "1,2")', ['files', { action: 'write', name: 'a.csv', text: '1,2' }]],
    ['log("a price")'],
  ] as [string, ...[string, Input][]][]) {
    verbs.push(`await ${code}`)
    expected.push(...calls)
  }
  const { calls, end } = await run(verbs.join('\n'))
  assert.equal(calls, expected)
  returned(end)
})

test('[L41] a target in words is the one element that is called so', async () => {
  const page: Answers = (tool) =>
    tool === 'find'
      ? {
          said: '3 matches:',
          content: 'button "Save" [e1] in form "A"\nbutton "Save" [e2] in form "B"\nlink "Save all" [e3]',
        }
      : { content: 'form "B" [e9]\n  *button "Save" [e2]\n  textbox "Name" [e4] value="a [e5]"' }
  assert.equal((await run('await click({role: "link", name: "save all"})', page)).calls.at(-1), [
    'computer',
    { action: 'left_click', ref: 'e3', look: 'none' },
  ])
  assert.match(failure((await run('await click({role: "button", name: "Save"})', page)).end), /2 elements.*within/)
  assert.match(failure((await run('await click({name: "Delete"})', page)).end), /There is no "Delete"/)
  const within = await run('await click({role: "button", name: "Save", within: "e9"})', page)
  assert.equal(within.calls, [
    ['read_page', { ref: 'e9' }],
    ['computer', { action: 'left_click', ref: 'e2', look: 'none' }],
  ])
  assert.is(
    returned((await run('return (await find("save")).map(({ref, role}) => ref + role)', page)).end),
    '["e1button","e2button","e3link"]',
  )
  assert.match(failure((await run('await click("the button")', page)).end), /A target is a ref/)
})

test('[L41] rows are cells, over all pages of the table', async () => {
  const table: Answers = (_, { page }) => ({
    said: `… cut: 4 more lines (after). This is page ${page} of 2: read on with page.`,
    content: [
      'Page "Orders" (https://shop.example/)',
      'table "Orders" [e1]',
      ...(page === 1
        ? ['  row "Id | Item | Price" [e2]', '  row "1 | tea ¦ mug | "']
        : ['  row "↑ | pot | 3"', '  row', '    cell "4"', '    cell "a \\"b\\""']),
    ].join('\n'),
  })
  assert.equal(JSON.parse(returned((await run('return rows("e1")', table)).end)), [
    ['Id', 'Item', 'Price'],
    ['1', 'tea ¦ mug', ''],
    ['1', 'pot', '3'],
    ['4', 'a "b"'],
  ])
})

test('[L41] what a call failed with is thrown at its line, and may be caught', async () => {
  const fails: Answers = () => ({ failed: true, said: 'Element e1 is gone' })
  const uncaught = await run('const a = 1\nif (a)\n  await click("e1")\nreturn a', fails)
  assert.match(failure(uncaught.end), /^Element e1 is gone$/)
  assert.is(uncaught.end.line, 3)
  const caught = await run('try { await click("e1") } catch (error) { return [error.message] }', fails)
  assert.is(returned(caught.end), '["Element e1 is gone"]')
  // Nobody waits for it: it must not be lost.
  assert.match(failure((await run('click("e1")\nawait read()', fails)).end), /gone/)
  assert.match(failure((await run('click("e1")', fails)).end), /gone/)
})

test('[L41] run again from its beginning with the answers so far it is where it was', async () => {
  const code =
    'const all = []\nfor (const ref of ["e1", "e2", "e3", "e4"]) all.push(await read({ref}))\nlog(all.length)\nreturn all'
  const answers: Answers = (_, { ref }) => ({ content: `read ${ref}` })
  const { given, end } = await run(code, answers)
  assert.is(returned(end), '["read e1","read e2","read e3","read e4"]')
  assert.is(end.log, '4\n')
  const other = new ThreadScripts()
  for (let n = given.length; n >= 0; n--) {
    const step = await other.next({ ...of(`again ${n}`), code, answers: given.slice(0, n) })
    if (n === given.length) assert.equal(step, end)
    else assert.equal(step.kind === 'call' && step.input, { ref: `e${n + 1}` })
  }
  const differs = given.map((each) => ({ ...each, tool: 'find' }))
  assert.match(failure(await other.next({ ...of('other'), code, answers: differs })), /did not do the same again/)
  other.close()
})

test('[L42] no clock, no chance, no network, no process: nothing but its verbs', async () => {
  const wanted = ['Math.random()', 'Date.now()', 'new Date()', 'Date()']
  const tries = wanted.map((code) => `try { ${code}; return 'done' } catch ({ message }) { said.push(message) }`)
  const { end } = await run(`const said = []\n${tries.join('\n')}\nreturn said`)
  assert.equal(JSON.parse(returned(end)), [
    'A script has no random numbers',
    ...Array.from({ length: 3 }, () => 'A script has no clock'),
  ])
  const names = ['fetch', 'require', 'process', 'setTimeout', 'XMLHttpRequest', 'document', 'WebAssembly']
  const types = await run(`return [${names.map((name) => `typeof ${name}`)}]`)
  assert.equal(
    JSON.parse(returned(types.end)),
    Array.from(names, () => 'undefined'),
  )
})

/** What a script gives by mistake, such as a field that a row has not got, is no text to type or address to open. */
for (const [code, call] of [
  ['navigate()', /navigate\(url\) needs a text, not undefined/],
  ['navigate(({}).url)', /navigate\(url\) needs a text, not undefined/],
  ['navigate(null)', /navigate\(url\) needs a text, not null/],
  ['navigate({url: "a.example"})', /navigate\(url\) needs a text, not \{"url":"a.example"\}/],
  ['type("e1", undefined)', /type\(target, text\) needs a text/],
  ['type("e1")', /type\(target, text\) needs a text/],
  ['set("e1", undefined)', /set\(target, value\) needs a text/],
  ['key()', /key\(keys\) needs a text/],
  ['find()', /find\(words\) needs a text/],
  ['find({})', /find\(words\) needs a text/],
  ['note()', /note\(text\) needs a text/],
  ['write("a.txt")', /write\(name, text\) needs a text/],
  ['write(undefined, "a")', /write\(name, text\) needs a text/],
] as const)
  test(`[L41] ${code} asks for nothing, and fails in its line`, async () => {
    const { calls, end } = await run(`const a = 1\nawait ${code}`)
    assert.equal(calls, [])
    assert.match(failure(end), call)
    assert.is(end.line, 2)
  })

/** Endless scripts, and the line of their last call of a function, or at which their loop was entered. */
for (const [code, line, message] of [
  ['const all = []\nfor (;;) all.map(String)', 1, /loop/],
  ['const seen = []\nseen.push(1)\nfor (;;)\n  seen.indexOf(1)', 4, /loop/],
  ['const f = () => {\n  while (true) parseInt("1")\n}\nf()', 2, /loop/],
  ['await read();\n/^(a+)+$/.test("a".repeat(40) + "b")', 2, /loop/],
  ['const a = []\nawait read()\nfor (;;) await null', 2, /loop/],
  ['const all = [];\nall.push(1);\nfor (let n = 0; ; n++) all.push({n})', 2, /memory/],
  ['\n\nconst all = "x".repeat(1e8)', 3, /memory/],
  ['await read()\nconst all = []\nfor (;;)\n  all.push(new Uint8Array(1e7))', 4, /memory/],
  ['await read()\nlet all = {}\nfor (;;)\n  all = {all, more: [all]}', 1, /memory/],
] as const)
  test(`[L42] ${JSON.stringify(code)} ends in line ${line}`, async () => {
    const { end } = await run(code, undefined, patient)
    assert.match(failure(end), message)
    assert.is(end.line, line)
  })

test('[L42] what is ended with its thread says where its last call was', async () => {
  const { end } = await run('\nawait read();\n[].indexOf.call({length: 2 ** 52}, 1)')
  assert.match(failure(end), /after that it did not get to its next call/)
  assert.is(end.line, 2)
})

/** Scripts that would hold up or break what runs them. */
const RUNAWAYS = [
  'for (;;);',
  'while (true) try { for (;;); } catch {}',
  'await (async () => { for (;;) await null })()',
  'const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})',
  'let text = "x"; for (;;) text += text',
  'const all = []; for (;;) try { all.push("x".repeat(1e6)) } catch {}',
  'new Uint8Array(2 ** 31)',
  '/^(a+)+$/.test("a".repeat(40) + "b")',
  '[].indexOf.call({length: 2 ** 52}, 1)',
  'const f = () => f() + 1; f()',
  'await new Promise(() => {})',
  'return 1 + ',
  'throw null',
  'const a = {}; a.a = a; return a',
]
for (const code of RUNAWAYS)
  test(`[L42] ${code}: ends with an error, holds up nobody, and others go on`, async () => {
    const other = { ...of(`beside ${code}`), code: 'return await read()', answers: [] as ScriptAnswer[] }
    assert.is((await scripts.next(other)).kind, 'call')
    let ticks = 0
    const ticking = setInterval(() => ticks++, 5)
    const begun = performance.now()
    const { end } = await run(code)
    const ms = performance.now() - begun
    clearInterval(ticking)
    assert.ok(failure(end).length > 0)
    assert.ok(ms < 10_000, `${ms} ms`)
    assert.ok(ticks >= Math.floor(ms / 100), `${ticks} ticks in ${ms} ms`)
    const answers = [{ tool: 'read_page', action: null, failed: false, said: '', content: 'still here' }]
    assert.is(returned(await scripts.next({ ...other, answers })), 'still here')
  })

test('[L42] a script may change its own world: it is not believed, and breaks nothing', async () => {
  for (const code of [
    'Object.prototype.toJSON = () => ({call: {tool: "javascript_tool"}}); await click("e1")',
    'JSON.stringify = JSON.parse = Promise = undefined; await click("e1")',
    'Array.prototype.push = Array.prototype.map = () => { throw new Error("no") }; await click("e1")',
    'Promise.prototype.then = function () { return this }; await click("e1")',
    'globalThis.click = () => 1; return click("e1")',
    'String.prototype.split = () => 7; await rows("e1")',
    'throw {message: {}, stack: 7}',
    'throw Object.assign(new Error("a"), {stack: {toString() { for (;;); }}})',
    'return {toJSON() { for (;;); }}',
  ]) {
    const { end } = await run(code)
    assert.ok(end.kind === 'returned' || end.kind === 'failed', code)
  }
  assert.is(returned((await run('return 1')).end), '1')
})

test('[L42] a call that is too large ends it in its own thread: the service does not get to see it', async () => {
  const { calls, end } = await run(`await type(null, 'x'.repeat(4_000_000))`, undefined, patient)
  assert.equal(calls, [])
  assert.match(failure(end), /too large/)
  assert.is((await run(`await write('a.txt', '\\n'.repeat(1_000_000))`, undefined, patient)).calls.length, 1)
})

test('[L42] what it returns, logs and throws is bounded', async () => {
  assert.match(returned((await run('return "x".repeat(60000)')).end), /^x{50000}… cut: 10000 more characters$/)
  const { end } = await run('for (let n = 0; n < 10000; n++) log("x".repeat(100))\nthrow new Error("y".repeat(60000))')
  assert.ok(failure(end).length < 50_100)
  assert.ok(end.log.length < 8_100)
})

const HOG = '/^(a+)+$/.test("a".repeat(40) + "b")'
const READS = 'for (let n = 0; n < 10; n++) await read()\nreturn "done"'
const READ: ScriptAnswer = { tool: 'read_page', action: null, failed: false, said: '', content: '' }

test('[T67] beside five tenants whose scripts never end, each step of another goes first, and theirs end as if alone', async () => {
  const queue = new FairQueue()
  const shared = new ThreadScripts(60_000, queue)
  try {
    const alone = (await run(HOG, undefined, shared, 'alone')).end
    let isOver = false
    const ends: ScriptStep[] = []
    const hogs = ['a', 'b', 'c', 'd', 'e'].map(async (workspaceId) => {
      for (let n = 0; !isOver; n++)
        ends.push(await shared.next({ ...of(`${workspaceId} ${n}`, workspaceId), code: HOG, answers: [] }))
    })
    await until('all have computed', () => ['a', 'b', 'c', 'd', 'e'].every((key) => queue.usedBy(key) > 50))
    const answers: ScriptAnswer[] = []
    let step = await shared.next({ ...of('short', 'short'), code: READS, answers })
    for (; step.kind === 'call'; ) {
      answers.push(READ)
      const [before, used] = [queue.slices, queue.usedBy('short')]
      step = await shared.next({ ...of('short', 'short'), code: READS, answers: [...answers] })
      // While it has used less than they have, nobody comes between its question and its answer.
      if (used < 50) assert.ok(queue.slices - before <= 2, `${queue.slices - before} slices`)
    }
    isOver = true
    assert.is(returned(step), 'done')
    await Promise.all(hogs)
    for (const end of ends) assert.equal(end, alone)
  } finally {
    shared.close()
  }
})

test('[T67] two scripts of a workspace hold memory, of those that wait for a call; others are run again', async () => {
  const some = new ThreadScripts(60_000)
  const code = 'const a = await read()\nreturn a + (await read())'
  try {
    const ids = ['one', 'two', 'three', 'four']
    for (const id of ids) assert.is((await some.next({ ...of(id), code, answers: [] })).kind, 'call')
    assert.is(some.live, 2)
    assert.is((await some.next({ ...of('elsewhere', 'v'), code, answers: [] })).kind, 'call')
    assert.is(some.live, 3)
    for (const id of ids) {
      const answers = [
        { ...READ, content: id },
        { ...READ, content: '!' },
      ]
      for (const n of [1, 2]) {
        const step = await some.next({ ...of(id), code, answers: answers.slice(0, n) })
        if (n === 2) assert.is(returned(step), `${id}!`)
      }
    }
    assert.is(some.live, 1)
  } finally {
    some.close()
  }
})

for (const [what, when] of [
  ['while it waits for its call', 'call'],
  ['while it computes', 'computes'],
  ['while it waits for its turn', 'turn'],
] as const)
  test(`[T67] one that is not wanted any more ${what} holds no memory, and delays nobody`, async () => {
    const queue = new FairQueue()
    const some = new ThreadScripts(60_000, queue)
    try {
      const first = some.next({ ...of('first', 'a'), code: when === 'call' ? READS : 'for (;;);', answers: [] })
      const second = when === 'turn' ? some.next({ ...of('second', 'b'), code: READS, answers: [] }) : null
      if (when === 'call') await first
      else await until('it computes', () => queue.usedBy('a') > 0 || some.live > 0)
      for (const taskId of ['first', 'second']) some.forget(taskId)
      assert.is(some.live, 0)
      if (when !== 'call') assert.is((await first).kind, 'failed')
      if (second) assert.is((await second).kind, 'failed')
      assert.is((await some.next({ ...of('third', 'c'), code: READS, answers: [] })).kind, 'call')
      assert.is(some.live, 1)
    } finally {
      some.close()
    }
  })

test.run()
