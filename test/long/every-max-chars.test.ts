import * as assert from 'uvu/assert'
import { browserSuite } from '../support/driven-browser.ts'

const test = browserSuite('every length that get_page_text may be asked for')

test('[G35] get_page_text with every max_chars from 1 to 2,000: short, and no second of CPU', async ({ show, run }) => {
  await show(`<title>${'t'.repeat(60_000)}</title><p>${'The long text of a page. '.repeat(3_000)}</p>`)
  for (let max = 1; max <= 2_000; max += 1) {
    const { content, said } = await run('get_page_text', { max_chars: max })
    assert.ok(content.length + said.length <= Math.max(max, 400), `${max}: ${content.length + said.length}`)
  }
})

test.run()
