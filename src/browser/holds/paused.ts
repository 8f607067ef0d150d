import type { CdpSession } from '../act/cdp.ts'

/** A request of a task's tab that waits at the network, until it is continued or failed. */
export interface PausedRequest {
  readonly url: string
  readonly method: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** As far as the protocol tells it. */
  readonly body: string
  /** Every byte of the body, in base64; `null` when the protocol does not tell them all. */
  readonly bytes: string | null
  /** `Document`, `XHR`, `Fetch`, `Ping`, … as the protocol names resources. */
  readonly type: string
  /** The server of an earlier request has sent the browser here. */
  readonly isRedirect: boolean
  /** It will wait for a person. */
  waits(): void
  /** Both resolve to whether the request was still there. */
  proceed(): Promise<boolean>
  fail(): Promise<boolean>
}

/** `Fetch.requestPaused`, as far as it is used. */
export interface RequestPaused {
  readonly requestId: string
  readonly frameId?: string
  readonly resourceType?: string
  readonly redirectedRequestId?: string
  readonly responseStatusCode?: number
  readonly responseErrorReason?: string
  readonly responseHeaders?: readonly { readonly name: string; readonly value: string }[]
  readonly request: {
    readonly url: string
    readonly method: string
    readonly headers?: Readonly<Record<string, string>>
    readonly postData?: string
    readonly hasPostData?: boolean
    readonly postDataEntries?: readonly { readonly bytes?: string }[]
  }
}

export const isResponse = ({ responseStatusCode, responseErrorReason }: RequestPaused): boolean =>
  responseStatusCode !== undefined || responseErrorReason !== undefined

/** @param note is told that it waits, and that it does not any more */
export function pausedRequest(
  { send }: Pick<CdpSession, 'send'>,
  event: RequestPaused,
  note: (waits: boolean) => void = () => {},
): PausedRequest {
  const { requestId, request, resourceType: type = 'Other' } = event
  const answer = (method: string, more: object = {}) => {
    if (isWaiting) note(false)
    return send(method, { requestId, ...more }).then(
      () => true,
      () => false,
    )
  }
  let isWaiting = false
  return {
    url: request.url,
    method: request.method.toUpperCase(),
    headers: Object.fromEntries(
      Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    body: bodyOf(request),
    bytes: bytesOf(request),
    type,
    isRedirect: event.redirectedRequestId !== undefined,
    waits() {
      isWaiting = true
      note(true)
    },
    proceed: () => answer('Fetch.continueRequest'),
    // A navigation that is aborted leaves its page as it is; a blocked one shows an error in its place.
    fail: () => answer('Fetch.failRequest', { errorReason: type === 'Document' ? 'Aborted' : 'BlockedByClient' }),
  }
}

function bodyOf({ postData, postDataEntries = [] }: RequestPaused['request']): string {
  if (postData !== undefined) return postData
  return postDataEntries.map(({ bytes = '' }) => atob(bytes)).join('')
}

/** Of two bodies that are not text, `postData` may be the same. */
function bytesOf({ hasPostData, postData, postDataEntries = [] }: RequestPaused['request']): string | null {
  if (postDataEntries.length === 0) return hasPostData || postData !== undefined ? null : ''
  const parts = postDataEntries.map(({ bytes }) => bytes)
  return parts.includes(undefined) ? null : parts.join(',')
}
