import { SERVICE_HEADER } from '../wire/service-header.ts'
import type { CdpSession } from './act/cdp.ts'
import { pageForPdf } from './headless-shell.ts'
import { isResponse, type PausedRequest, type RequestPaused } from './holds/paused.ts'
import { PausedRequests } from './holds/paused-requests.ts'
import type { Reach } from './own-service.ts'

const MARK = SERVICE_HEADER.toLowerCase()
const DOCUMENT = { urlPattern: '*', resourceType: 'Document' }
const EVERYTHING = { urlPattern: '*', requestStage: 'Request' }

/** Takes the requests of a tab, or of none. */
export type Listener = (request: PausedRequest) => void

/**
 * The one owner of `Fetch` in a browser that was started for tasks. It pauses requests of the whole browser and not of a
 * tab: this covers frames in processes of their own, workers of all kinds and the first request of a new window. Pausing
 * never ends while something is held: Chromium lets go of all that is paused then.
 */
export class Interception {
  readonly #cdp: CdpSession
  readonly #listenerOf: (event: RequestPaused) => Promise<Listener | null>
  readonly #requests: PausedRequests
  #reach: Reach | null = null
  #holding: Promise<void> | null = null
  #showsPdfs = false

  constructor(cdp: CdpSession, listenerOf: (event: RequestPaused) => Promise<Listener | null>) {
    this.#cdp = cdp
    this.#listenerOf = listenerOf
    this.#requests = new PausedRequests(cdp)
    cdp.on('Fetch.requestPaused', (event: RequestPaused) => {
      // It fails when the page went away meanwhile.
      this.#settle(event).catch(() => {})
    })
  }

  /**
   * [S13] Refuses requests before they leave: every document that a tab or frame opens, redirects included, and all else
   * that is loaded from an address of `reach`. A document is also refused when its response says that it comes from a
   * service, whatever name it was reached by.
   */
  async refuse(reach: Reach): Promise<void> {
    this.#reach = reach
    await this.#update()
  }

  /** [I5] From here on every request passes its listener. `ask`: see `PausedRequests.selfTest`. */
  hold(ask: (address: string) => Promise<unknown>): Promise<void> {
    this.#holding ??= this.#update(true).then(async () => void (await this.#requests.selfTest(ask)))
    return this.#holding
  }

  /** From here on a PDF is a page that says so, and not a download. */
  async showPdfs(): Promise<void> {
    this.#showsPdfs = true
    await this.#update()
  }

  async #update(holds = this.#holding !== null): Promise<void> {
    const refused = (this.#reach?.patterns ?? []).map((urlPattern) => ({ urlPattern, requestStage: 'Request' }))
    const patterns = [
      ...(holds ? [EVERYTHING] : this.#reach ? [{ ...DOCUMENT, requestStage: 'Request' }, ...refused] : []),
      ...(this.#reach || this.#showsPdfs ? [{ ...DOCUMENT, requestStage: 'Response' }] : []),
    ]
    await this.#cdp.send('Fetch.enable', { patterns })
  }

  async #settle(event: RequestPaused): Promise<unknown> {
    if (this.#requests.takes(event)) return
    const { requestId, request, responseHeaders = [] } = event
    const isService = this.#reach !== null && responseHeaders.some(({ name }) => name.toLowerCase() === MARK)
    if (isService || (this.#reach && this.#reach.refusalOf(request.url) !== null)) {
      return this.#cdp.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
    }
    if (isResponse(event)) {
      const page = this.#showsPdfs ? pageForPdf(event) : null
      if (page) return this.#cdp.send('Fetch.fulfillRequest', { requestId, ...page })
      return this.#cdp.send('Fetch.continueResponse', { requestId })
    }
    const listener = this.#holding ? await this.#listenerOf(event) : null
    if (listener) return listener(this.#requests.of(event))
    return this.#cdp.send('Fetch.continueRequest', { requestId })
  }
}
