import type { Api, BrowserSession } from '../api.ts'
import { useEffect, useState } from '../view.ts'

/** How often it is looked which browsers are connected: often while somebody waits for one to come. */
const LOOK_EVERY_MS = { waiting: 1_500, connected: 10_000 }

/**
 * The paired browsers of a workspace; `null`: not known yet. All are read once, and with `look`: a workspace may have
 * thousands. While the page is in sight, those that are connected are read again and again.
 */
export function useBrowsers(api: Api) {
  const [browsers, setBrowsers] = useState<readonly BrowserSession[] | null>(null)
  const [failed, setFailed] = useState<unknown>(null)
  const isWaiting = browsers?.some(({ status }) => status === 'connected') !== true
  const look = async () => {
    setBrowsers(await collected(api.browsers.list()))
    setFailed(null)
  }
  const lookForConnected = async () => {
    const connected = await collected(api.browsers.list({ status: 'connected' }))
    setBrowsers((before) => before && withConnected(before, connected))
    setFailed(null)
  }
  useEffect(() => {
    look().catch(setFailed)
  }, [api])
  useEffect(() => {
    const lookIfSeen = () => {
      if (!document.hidden) (browsers === null ? look() : lookForConnected()).catch(setFailed)
    }
    const timer = setInterval(lookIfSeen, isWaiting ? LOOK_EVERY_MS.waiting : LOOK_EVERY_MS.connected)
    document.addEventListener('visibilitychange', lookIfSeen)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', lookIfSeen)
    }
  }, [api, isWaiting, browsers === null])
  return { browsers, failed, look }
}

/** What was known, with what is connected now: new ones first. */
function withConnected(
  before: readonly BrowserSession[],
  connected: readonly BrowserSession[],
): readonly BrowserSession[] {
  const now = new Map(connected.map((browser) => [browser.id, browser]))
  const known = new Set(before.map(({ id }) => id))
  return [
    ...connected.filter(({ id }) => !known.has(id)),
    ...before.map((browser) => now.get(browser.id) ?? away(browser)),
  ]
}

const away = (browser: BrowserSession): BrowserSession =>
  browser.status === 'connected' ? { ...browser, status: 'disconnected' } : browser

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

export const nameOf = ({ label, id }: Pick<BrowserSession, 'label' | 'id'>): string =>
  label ?? `Browser ${id.slice(0, 8)}`
