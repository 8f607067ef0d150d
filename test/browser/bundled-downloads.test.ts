import * as assert from 'uvu/assert'
import { browserSuite, type Driven } from '../support/driven-browser.ts'

const test = browserSuite('downloads in the bundled Chromium and in an installed browser')

/** Adds a link to a page that is open, and clicks it. */
async function clickLink(driven: Driven, attributes: string): Promise<string> {
  await driven.open('/first')
  await driven.value(`document.body.insertAdjacentHTML('afterbegin', '<a ${attributes}>Get</a>') ?? 1`)
  return driven.text('computer', { action: 'left_click', ref: await driven.ref(/link "Get"/) })
}

test.both('[G30] a PDF that a server gives to be saved is a download', async (driven) => {
  assert.match(await clickLink(driven, 'href="/invoice-download"'), /A download is complete[\s\S]*File: "invoice\.pdf"/)
})

for (const [name, path] of [
  ['a link', '/download'],
  ['a redirect', '/to-download'],
  ['a slow answer', '/slow-download'],
] as const)
  test.both(`[G28] a download by ${name} with target=_blank leaves no empty window`, async (driven) => {
    const answer = await clickLink(driven, `href="${path}" target="_blank"`)
    assert.match(answer, /A download is complete: 3 bytes/)
    assert.not.match(answer, /none appeared/)
    assert.is((await driven.text('tabs', { action: 'list' })).match(/^Tab \d+: /gm)?.length, 1, answer)
    assert.match(await driven.text('read_page', {}), /Page "First"/)
  })

await test.run()
