import * as assert from 'uvu/assert'
import { browserSuite, type Driven } from '../support/driven-browser.ts'

const test = browserSuite('frames in what is enlarged by CSS zoom')

/** Buttons side by side, which say what they were clicked with; the frame is scrolled before it can be used. */
const BUTTONS = `<body style="margin:0"><div style="height:900px"></div>
<div style="display:grid;grid-template-columns:repeat(4, 60px);padding-left:20px">
${[1, 2, 3, 4, 5, 6, 7, 8].map((at) => `<button style="height:25px" onclick="this.textContent = 'Hit ${at}'">No ${at}</button>`).join('')}
</div><div style="height:300px"></div><script>scrollTo(0, 860)</script>`

const frameOf = (src: string, style = ''): string =>
  `<iframe src="${src}" style="border:3px solid;margin:15px;width:340px;height:160px;${style}"></iframe>`

type Around = (frame: (style?: string) => string) => string
const AROUND: Readonly<Record<string, Around>> = {
  'on what is around it': (frame) => `<div style="zoom:1.5">${frame()}</div>`,
  'that makes it small': (frame) => `<div style="zoom:.7">${frame()}</div>`,
  'of its own': (frame) => frame('zoom:1.5'),
  'of the body': (frame) => `<style>body { zoom: .7 }</style>${frame()}`,
  'of the root': (frame) => `<style>html { zoom: 1.5 }</style>${frame()}`,
  'in zoom': (frame) => `<style>html { zoom: 1.3 }</style><div style="zoom:.8">${frame('zoom:1.4')}</div>`,
  'and a transform': (frame) => `<div style="zoom:1.5;transform:translate(30px, 20px) scale(.8)">${frame()}</div>`,
  'below a page that is scrolled': (frame) => `<div style="height:1500px"></div><div style="zoom:1.5">${frame()}</div>`,
}

const elsewhere = ({ pages }: Driven): string => pages.origin.replace('127.0.0.1', 'localhost')

async function clickEach({ text, ref }: Driven): Promise<void> {
  for (const at of [1, 4, 6]) {
    const button = await ref(new RegExp(`button "No ${at}"`))
    await text('computer', { action: 'left_click', ref: button })
    assert.match(await text('read_page', {}), `button "Hit ${at}" [${button}]`)
  }
}

for (const [name, around] of Object.entries(AROUND)) {
  for (const site of ['its own', 'another'] as const) {
    test(`[G42] a frame of ${site} site, with zoom ${name}: each click meets its element`, async (driven) => {
      const { pages, show, text, value } = driven
      const origin = site === 'another' ? elsewhere(driven) : pages.origin
      await show(around((style) => frameOf(origin + pages.make(BUTTONS), style)))
      await clickEach(driven)
      // At a place of the screenshot, too: the middle of the eighth button.
      const [left, top, scale] = (await value(`(() => {
        const frame = document.querySelector('iframe')
        const { left, top, width } = frame.getBoundingClientRect()
        return [left, top, width / 346]
      })()`)) as [number, number, number]
      const at = (start: number, px: number) => Math.round(start + (3 + px) * scale)
      await text('computer', { action: 'screenshot' })
      await text('computer', { action: 'left_click', coordinate: [at(left, 230), at(top, 77)] })
      assert.match(await text('read_page', {}), 'button "Hit 8"')
    })
  }
}

for (const [outer, inner] of [
  ['its own', 'its own'],
  ['its own', 'another'],
  ['another', 'its own'],
  ['another', 'another'],
] as const) {
  test(`[G42] frames in each other, each with zoom: of ${outer} site, in it of ${inner}`, async (driven) => {
    const { pages, show } = driven
    const originOf = (site: string) => (site === 'another' ? elsewhere(driven) : pages.origin)
    const within = `<div style="zoom:.8">${frameOf(originOf(inner) + pages.make(BUTTONS), 'zoom:1.2')}</div>`
    const src = originOf(outer) + pages.make(within)
    await show(`<div style="zoom:1.4">${frameOf(src, 'width:480px;height:300px;zoom:1.1')}</div>`)
    await clickEach(driven)
  })
}

test.run()
