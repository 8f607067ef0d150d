import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Conversation } from '../../actors/conversation/conversation.ts'
import { NOTES_CHARS_MAX, WRITTEN_FILE_BYTES_MAX } from '../../machines/limits.ts'
import { CONTEXT, reply } from '../support/conversations.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type Scene, SceneModel, saying, settled } from '../support/scene.ts'
import { aTask } from '../support/stores.ts'

const test = suite('tools of the service itself')

/** All that its model was given last. */
const read = (scene: Scene) => JSON.stringify(scene.model.last?.messages ?? [])
/** The result of its last call. */
function result(scene: Scene): string {
  const last = scene.model.last?.messages.findLast(({ role }) => role === 'tool')
  return last?.role === 'tool' ? (last.results.at(-1)?.text ?? '') : ''
}
async function started(fields: object = {}) {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser, fields)
  const ask = async (...calls: (readonly [string, unknown])[]) => {
    scene.model.answer(calling(...calls))
    await settled(80)
  }
  return { scene, browser, id, ask }
}
async function completes(scene: Scene, id: string): Promise<void> {
  scene.model.answer(saying('Done.'))
  await settled()
  assert.is(scene.record(id).status, 'complete')
  nothingLeft(scene)
}

test('[L44] a note needs no browser, stays whole in what the model reads, also after a restart, and has a limit', async () => {
  const { scene, browser, id, ask } = await started()
  await ask(['note', { text: 'The tea costs 4.20' }])
  assert.match(result(scene), `room for ${NOTES_CHARS_MAX - 18} more`)
  await ask(['note', { text: 'x'.repeat(NOTES_CHARS_MAX - 18) }], ['note', { text: 'y' }])
  assert.match(result(scene), /Error: Not noted/)
  await scene.reopen()
  browser.connect()
  await settled(80)
  assert.match(read(scene), 'The tea costs 4.20')
  await ask(['note', { text: 'y' }])
  assert.match(result(scene), /Error: Not noted: .* 0 are left/)
  assert.equal(browser.executed, [])
  await completes(scene, id)
})

test('[L25 L44] what the model noted, wrote into a file or gave to a script is not what it has done on pages', () => {
  const conversation = new Conversation(aTask(), CONTEXT)
  const calls = [
    ['note', { text: 'it costs 771' }],
    ['files', { action: 'write', name: 'a.txt', text: '772' }],
    ['script', { code: 'return 773' }],
    ['extract', { what: 'is it 774' }],
    ['finish', { answer: '775' }],
    ['form_input', { ref: 'e1', value: 776 }],
  ] as const
  const asked = calls.map(([tool, input], n) => ({ requestId: `r${n}`, tool, input, refusal: null }))
  conversation.addReply({ ...reply(1), calls: asked })
  assert.equal(conversation.ownWords.match(/77\d/g), ['776'])
})

test('[L44] what a script has noted is read by its model, marked, also after a restart', async () => {
  const { scene, browser, id, ask } = await started()
  await ask(
    scene.scripts.call(function* () {
      yield ['note', { text: 'row 7: 4.20' }]
      return 'harvested'
    }),
  )
  const noted = /Noted by a script:\\n<page_content>\\nrow 7: 4.20\\n<\/page_content>/
  assert.match(read(scene), noted)
  await scene.reopen()
  browser.connect()
  await settled(80)
  assert.match(read(scene), noted)
  await completes(scene, id)
})

test('[U11] a file that the model writes is one of the task: once, by its name, of at most 1 MB', async () => {
  const { scene, id, ask } = await started()
  const write = (name: string | undefined, text: string | undefined) =>
    ['files', { action: 'write', name, text }] as const
  await ask(write('orders.csv', 'id,total\n1,4.20\n'))
  assert.match(result(scene), /^Made the file "orders.csv" \(16 bytes\)/)
  const files = (await scene.taskService.filesOf(scene.workspaceId, id)) ?? []
  assert.equal(
    files.map(({ name, origin, mediaType, size }) => [name, origin, mediaType, size]),
    [['orders.csv', 'written', 'text/csv; charset=utf-8', 16]],
  )
  const file = await scene.taskService.file(scene.workspaceId, id, files[0]?.id ?? '')
  assert.is(Buffer.from(file?.bytes ?? []).toString(), 'id,total\n1,4.20\n')
  for (const [name, text, why] of [
    ['run.exe', 'x', /name without a path that ends with \.csv/],
    ['../a.csv', 'x', /without a path/],
    [undefined, 'x', /name/],
    ['a.csv', undefined, /needs text/],
    ['a.txt', 'x'.repeat(WRITTEN_FILE_BYTES_MAX + 1), /at most 1048576 bytes/],
  ] as const) {
    await ask(write(name, text))
    assert.match(result(scene), why)
  }
  assert.is((await scene.taskService.filesOf(scene.workspaceId, id))?.length, 1)
})

test('[U11] a script writes what it has harvested, past its model', async () => {
  const { scene, id, ask } = await started()
  const text = 'one row after the other\n'.repeat(30_000)
  await ask(
    scene.scripts.call(function* () {
      return (yield ['files', { action: 'write', name: 'rows.txt', text }]).said
    }),
  )
  assert.match(result(scene), /Made the file "rows.txt" \(720000 bytes\)/)
  assert.ok(read(scene).length < 3_000)
  await completes(scene, id)
})

test('[U11] a store that does not keep it is a failed call, and no end of the task', async () => {
  const { scene, id, ask } = await started()
  scene.store.fault = (name) => (name === 'files.put' ? 'rejects' : null)
  await ask(['files', { action: 'write', name: 'a.txt', text: 'tea' }])
  assert.match(result(scene), /^Error: The file could not be kept just now/)
  scene.store.fault = () => null
  await ask(['files', { action: 'write', name: 'a.txt', text: 'tea' }])
  assert.match(result(scene), /^Made the file/)
  await completes(scene, id)
})

test('[U11 D7] a crash while a file is written: it is there once', async () => {
  const { scene, browser, id, ask } = await started()
  browser.answers = false
  await ask(['find', {}], ['files', { action: 'write', name: 'a.txt', text: 'tea' }])
  scene.store.fault = (name) => (name === 'commit' ? 'hangs' : null)
  browser.finish()
  await settled(80)
  scene.store.fault = () => null
  await scene.reopen()
  const files = async () => ((await scene.taskService.filesOf(scene.workspaceId, id)) ?? []).map(({ name }) => name)
  assert.equal(await files(), ['a.txt'])
  browser.connect()
  await settled(80)
  assert.match(result(scene), /^Made the file/)
  assert.equal(await files(), ['a.txt'])
  await completes(scene, id)
})

/** A browser whose page has a text of three pages. */
const PAGES = ['Tea 4.20', 'Pot 12.50', 'Cup 3.00']
async function extracting(input: object, fields: object = {}, pages = PAGES) {
  const it = await started(fields)
  const small = new SceneModel()
  Object.assign(small, { id: 'small-model', costUsd: () => 0.25 })
  Object.assign(it.scene.model, { small })
  it.browser.result = ({ input: asked }) => {
    const page = (asked as { page?: number }).page ?? 1
    return {
      output: pages[page - 1],
      said: `This is page ${page} of 3: read on with page.`,
      page: { content: pages[page - 1] ?? '' },
    }
  }
  await it.ask(['extract', input] as const)
  return { ...it, small }
}
const tools = ({ browser }: Awaited<ReturnType<typeof extracting>>) =>
  browser.of('mcp_execute_tool').map(({ tool, input }) => [tool, (input as { page?: number }).page])

test('[L45] extract reads all pages and asks the small model, outside of the conversation; its cost is the task’s', async () => {
  const schema = { type: 'object', properties: { prices: { type: 'array', items: { type: 'number' } } } }
  const it = await extracting({ what: 'all prices', schema, from: 'pages' })
  assert.equal(tools(it), [
    ['get_page_text', undefined],
    ['get_page_text', 2],
    ['get_page_text', 3],
  ])
  const { last } = it.small
  assert.match(JSON.stringify(last?.messages), /all prices.*<page_content>.*Tea 4.20.*Pot 12.50.*Cup 3.00/s)
  assert.equal([last?.json, last?.tools], [schema, []])
  it.small.answer(saying('{"prices":[4.2,12.5,99]}'))
  await settled(80)
  assert.match(result(it.scene), /^Read 3 pages of text in 1 request\. Not on the page as it stands there: \/prices\/2/)
  assert.match(result(it.scene), /<page_content>\n{"prices":\[4.2,12.5,99\]}\n<\/page_content>$/)
  assert.not.match(read(it.scene), 'Tea 4.20')
  const { usage } = await it.scene.view(it.id)
  assert.equal([usage.apiCalls, usage.inputTokens], [2, 200])
  await completes(it.scene, it.id)
})

test('[L45] the first page alone says how many there are; figures in words are grounded, too', async () => {
  const it = await extracting({ what: 'the price of tea' })
  assert.equal(tools(it), [['get_page_text', undefined]])
  it.small.answer(saying('Tea costs 4.20, a pot 77.70.'))
  await settled(80)
  assert.match(result(it.scene), /This was page 1 of 3.*Not on the page as it stands there: 77\.70\. Check/)
  await completes(it.scene, it.id)
})

test('[L45] a page that cannot be read, a model that fails and a budget that is used up are its failures', async () => {
  const broken = await started()
  broken.browser.result = () => ({ error: 'No page is open' })
  await broken.ask(['extract', { what: 'the price' }])
  assert.match(result(broken.scene), /^Error: No page is open/)
  await completes(broken.scene, broken.id)

  const refused = await extracting({ what: 'the price' })
  refused.small.answer({
    kind: 'failed',
    message: 'No such model',
    rateLimited: false,
    retryable: false,
    retryAfterMs: null,
  })
  await settled(80)
  assert.match(result(refused.scene), /^Error: No such model/)
  await completes(refused.scene, refused.id)

  const poor = await extracting({ what: 'the price' }, { maxTokens: 8_000 }, ['tea '.repeat(10_000)])
  assert.is(poor.small.asked, 0)
  assert.match(read(poor.scene), /Not done: what this task may cost/)
})

test('[L45] after a restart it goes on with the pages that it has read', async () => {
  const it = await extracting({ what: 'all prices', from: 'pages' })
  await it.scene.reopen()
  it.browser.connect()
  await settled(80)
  assert.is(it.browser.executed.length, 3)
  it.small.waiting.at(-1)?.answer(saying('4.20, 12.50 and 3.00'))
  await settled(80)
  assert.match(result(it.scene), /^Read 3 pages of text in 1 request\.\n/)
  await completes(it.scene, it.id)
})

test.run()
