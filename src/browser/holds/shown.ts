import type { CdpSession } from '../act/cdp.ts'
import { SHOWN_TEXT } from '../act/scripts/element.ts'
import { numbersIn } from './terms.ts'

const TELL = 'tellShown'
const WORLD = 'browser-task-shown'
const TEXT_CHARS_MAX = 200_000
/** What changes on the page is told so often. */
const TELL_MS = 20

/** Tells the lines of a document that have numbers, as soon as they change. It lives in a world of its own. */
const WATCH = `(() => {
  if (self !== top || globalThis.watchesShown) return
  globalThis.watchesShown = true
  let last = null
  let timer = 0
  const tell = () => {
    timer = 0
    if (!document.body) return
    const text = ${SHOWN_TEXT}.split('\\n').filter((line) => /[\\p{N}〇零一-九百千万萬億亿壹-玖拾佰仟]/u.test(line)).join('\\n').slice(0, ${TEXT_CHARS_MAX})
    if (text !== last) ${TELL}(last = text)
  }
  const soon = () => { timer ||= setTimeout(tell, ${TELL_MS}) }
  new MutationObserver(soon).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  for (const event of ['input', 'change', 'load', 'DOMContentLoaded']) addEventListener(event, soon, true)
  soon()
})()`

/**
 * The numbers that a page shows, as it tells them itself. While a navigation waits at the network Chromium passes no command
 * on to the page, and what it shows may still change.
 */
export class ShownNumbers {
  #text = ''

  get numbers(): string[] {
    return numbersIn(this.#text)
  }

  async watch(session: CdpSession): Promise<void> {
    session.on('Runtime.bindingCalled', ({ name, payload }: { name: string; payload: string }) => {
      if (name === TELL) this.#text = payload
    })
    await session.send('Page.enable')
    await session.send('Runtime.addBinding', { name: TELL, executionContextName: WORLD })
    await session.send('Page.addScriptToEvaluateOnNewDocument', {
      source: WATCH,
      worldName: WORLD,
      runImmediately: true,
    })
  }
}
