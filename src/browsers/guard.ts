import { SERVICE_HEADER } from '../wire/service-header.ts'
import type { CdpSession } from './page/cdp.ts'
import type { Reach } from './reach.ts'

interface Paused {
  readonly requestId: string
  readonly request: { readonly url: string }
  /** Of a response, one of the two is there. */
  readonly responseStatusCode?: number
  readonly responseErrorReason?: string
  readonly responseHeaders?: readonly { readonly name: string; readonly value: string }[]
}

const MARK = SERVICE_HEADER.toLowerCase()
const DOCUMENT = { urlPattern: '*', resourceType: 'Document' }

/**
 * [S13] Refuses requests over the Chrome DevTools Protocol, before they leave: every document that a tab or frame of the
 * target opens, redirects included, and all else that is loaded from an address of `reach`. A document is also refused
 * when its response says that it comes from a service, whatever name it was reached by.
 */
export async function refuseRequests(cdp: CdpSession, reach: Reach): Promise<void> {
  cdp.on('Fetch.requestPaused', (paused: Paused) => {
    // It fails when the page went away meanwhile.
    settle(cdp, paused, reach).catch(() => {})
  })
  const patterns = [
    { ...DOCUMENT, requestStage: 'Request' },
    { ...DOCUMENT, requestStage: 'Response' },
    ...reach.patterns.map((urlPattern) => ({ urlPattern, requestStage: 'Request' })),
  ]
  await cdp.send('Fetch.enable', { patterns })
}

function settle(cdp: CdpSession, paused: Paused, { refusalOf }: Reach): Promise<unknown> {
  const { requestId, request, responseHeaders = [] } = paused
  const isService = responseHeaders.some(({ name }) => name.toLowerCase() === MARK)
  if (isService || refusalOf(request.url) !== null) {
    return cdp.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
  }
  const isResponse = paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined
  return cdp.send(isResponse ? 'Fetch.continueResponse' : 'Fetch.continueRequest', { requestId })
}
