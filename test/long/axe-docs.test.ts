import { suite } from 'uvu'
import { axeOn } from '../observe/inspector/axe.ts'
import { noChromium, startChromium } from '../observe/inspector/world.ts'
import { openLive } from '../support/live.ts'

const test = suite('every page of the docs')
const PAGES = ['api', 'relay', 'durability', 'embedding', 'metrics', 'machines', 'extension']

if (noChromium === null)
  test('axe finds no violation, light or dark; the policy is kept; a phone is wide enough', async () => {
    const live = await openLive({ transport: 'node', store: 'lmdb' })
    const browser = await startChromium()
    try {
      const { checkAt } = axeOn(await browser.newPage(), live.service.url)
      for (const name of PAGES) await checkAt(`/docs/${name}`)
    } finally {
      await browser.close()
      await live.close()
    }
  })
else console.log(`SKIPPED 1 ${noChromium}`)
test.run()
