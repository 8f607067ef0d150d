import type { Model } from '../../actors/runtime/ports.ts'
import { connected, openServices, pairingUrl, type Services } from '../extension/scene.ts'
import { eventually } from '../support/eventually.ts'
import { type HeadedBrowser, openHeaded } from './browser.ts'

/** Service, shop and a Chromium with a window. */
export interface HeadedScene extends Services {
  readonly browser: HeadedBrowser
}

/** Everything in this process but the browser; the model plays the demo's script unless another one is given. */
export async function openHeadedScene(model?: Model): Promise<HeadedScene> {
  const [services, browser] = await Promise.all([openServices(model), openHeaded()])
  return {
    ...services,
    browser,
    async close() {
      await browser.close()
      await services.close()
    },
  }
}

/** Pairs as a person does: opens the link, presses both buttons. Resolves to the session when it is connected. */
export async function pairByHand({ browser, api }: Pick<HeadedScene, 'browser' | 'api'>): Promise<string> {
  const url = await pairingUrl(api)
  await browser.visit(url)
  const page = await browser.watcher.target(new URL(url).pathname)
  await browser.click(page, '#pair-this-browser')
  const consent = await browser.watcher.target('consent.html')
  await browser.click(consent, '.actions .main')
  const isDone = () =>
    browser.watcher.value<boolean>(page, "document.querySelector('[data-browser-tasks=done]') !== null")
  await eventually(isDone, 'the page to say that it is paired', 20_000)
  return connected(api)
}
