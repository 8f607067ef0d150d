import * as assert from 'uvu/assert'
import { browserSuite } from '../support/driven-browser.ts'

const test = browserSuite('files are uploaded')

const upload = (ref: string) => ({ action: 'upload', name: 'data.csv', ref })

/** By what line of the page, and what the page gets. */
const WAYS: readonly [line: RegExp, got: string][] = [
  [/"Drop it here"/, 'drop:data.csv/3'],
  [/button "Select files"/, 'detached:data.csv/3'],
  [/button "Attach"/, 'hidden:data.csv/3'],
  [/button "Covered"/, 'shim:data.csv/3'],
  [/"Browse"/, 'detached:data.csv/3'],
]

/** The task has a file: it downloads one. */
async function withFile({
  open,
  text,
  ref,
}: {
  open(path: string): Promise<string>
  text: Run
  ref: (line: RegExp) => Promise<string>
}) {
  await open('/actions')
  await text('computer', { action: 'left_click', ref: await ref(/"Data"/) })
  await open('/uploads')
}
type Run = (tool: string, input: Record<string, unknown>) => Promise<string>

test('[G28] a file goes to what takes it: a field, a drop area, or the field that a press asks for (A2)', async (driven) => {
  await withFile(driven)
  for (const [line, got] of WAYS) {
    await driven.value('(out.textContent = "", 1)')
    const answer = await driven.text('files', upload(await driven.ref(line)))
    assert.match(answer, /^Gave the file to e\d+\.\n/, String(line))
    assert.is(String(await driven.value('out.textContent')).trim(), got, String(line))
    assert.not.match(answer, /The page asks for a file/)
    assert.is(await driven.value('dragging'), 0, 'nothing seems to be dragged any more')
  }
})

test('[G28] what takes no file is said, and so is a page that shows nothing of it (A2)', async (driven) => {
  await withFile(driven)
  const failure = await driven.failure('files', upload(await driven.ref(/button "Nothing"/)))
  assert.match(failure, /^The file was not uploaded: e\d+ was clicked, and opened no file window\./)
  const deaf = await driven.text('files', upload(await driven.ref(/"Deaf zone"/)))
  assert.match(deaf, /^Gave the file to e\d+\. Nothing on the page shows that it took it\./)
})

await test.run()
