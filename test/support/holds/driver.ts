import { startBrowser } from '../../../src/browser/chromium.ts'
import { gatedHeadless } from './headless.ts'

/** Drives a browser of its own until it is killed: presses the button of the page whose address it is given, and says what is held. */
const [url = ''] = process.argv.slice(2)
const gated = gatedHeadless(await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined }))
await gated.call('navigate', { url })
const { text } = await gated.call('read_page', {})
const ref = /\[((?:f\d+)?e\d+)\]/.exec(text)?.[1]
const { held } = await gated.call('computer', { action: 'left_click', ref, look: 'none' })
console.log(`held ${held?.method ?? 'nothing'}`)
