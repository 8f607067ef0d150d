import type { Api, BrowserSession } from '../api.ts'
import { useEffect, useState } from '../view.ts'

/** How often browsers are looked up: often while somebody waits for one to come. */
const LOOK_EVERY_MS = { waiting: 1_500, connected: 10_000 }

/** The paired browsers of a workspace, looked up again and again while the page is in sight; `null`: not known yet. */
export function useBrowsers(api: Api) {
  const [browsers, setBrowsers] = useState<readonly BrowserSession[] | null>(null)
  const [failed, setFailed] = useState<unknown>(null)
  const isWaiting = browsers?.some(({ status }) => status === 'connected') !== true
  const look = async () => {
    const found: BrowserSession[] = []
    for await (const browser of api.browsers.list()) found.push(browser)
    setBrowsers(found)
    setFailed(null)
  }
  useEffect(() => {
    const lookIfSeen = () => void (document.hidden || look().catch(setFailed))
    lookIfSeen()
    const timer = setInterval(lookIfSeen, isWaiting ? LOOK_EVERY_MS.waiting : LOOK_EVERY_MS.connected)
    document.addEventListener('visibilitychange', lookIfSeen)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', lookIfSeen)
    }
  }, [api, isWaiting])
  return { browsers, failed, look }
}
