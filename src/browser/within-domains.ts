import { isWithin, outsideDomains } from '../../machines/domains.ts'
import { type Answer, type Cdp, ToolError } from './act/cdp.ts'
import { addressOf } from './act/tools/address.ts'

/** Empty pages and the browser's own error pages are allowed for any domain. */
const isShown = (domains: readonly string[], url: string): boolean =>
  url === '' || /^about:(blank|srcdoc)/.test(url) || url.startsWith('chrome-error:') || isWithin(domains, url)

/** [F2] An address that a tool is to open. Throws a ToolError when it is not within the domains. */
export function checkInput(domains: readonly string[], { url }: Record<string, unknown>): void {
  if (typeof url !== 'string' || /^\s*(back|forward)\s*$/i.test(url)) return
  if (!isShown(domains, addressOf(url.trim()))) throw new ToolError(outsideDomains(domains))
}

/** [F4] Whatever page comes into the tab, by a link, a redirect, a script, the history or as a window: one outside is left. */
export function leaveOutside(cdp: Cdp, domains: readonly string[], left: (url: string) => void): void {
  cdp.on('Page.frameNavigated', ({ frame }: { frame: { parentId?: string; url: string } }) => {
    if (frame.parentId !== undefined || isShown(domains, frame.url)) return
    left(frame.url)
    cdp.send('Page.navigate', { url: 'about:blank' }).catch(() => {})
  })
}

/** [F4] After a call: throws a ToolError when the page is outside, so that nothing of it is reported. */
export async function checkPage(cdp: Cdp, domains: readonly string[]): Promise<void> {
  const { frameTree } = (await cdp.send('Page.getFrameTree')) as Answer<'Page.getFrameTree'>
  if (isShown(domains, frameTree.frame.url)) return
  await cdp.send('Page.navigate', { url: 'about:blank' })
  throw new ToolError(outsideDomains(domains))
}
