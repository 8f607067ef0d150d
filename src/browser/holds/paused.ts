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
  /** [I20] It waits for a person, and is not sent whatever ends meanwhile. */
  hold(): void
  /**
   * Resolves to whether it is sent. One that was held and is not can be sent again by its page alone. `isWanted`: asked in the
   * moment before it is sent.
   */
  proceed(isWanted?: () => boolean): Promise<boolean>
  /** Resolves to whether it was still there. */
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
    readonly urlFragment?: string
    readonly method: string
    readonly initialPriority?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly postData?: string
    readonly hasPostData?: boolean
    readonly postDataEntries?: readonly { readonly bytes?: string }[]
  }
}

export const isResponse = ({ responseStatusCode, responseErrorReason }: RequestPaused): boolean =>
  responseStatusCode !== undefined || responseErrorReason !== undefined

/** Equal for requests that are equal in method, address, headers and every byte of the body; `null`: the protocol does not tell the whole body. */
export const keyOf = ({ method, url, headers, bytes }: PausedRequest): string | null =>
  bytes === null ? null : JSON.stringify([method, url, Object.entries(headers).sort(), bytes])

/** As the protocol tells it; what can be done with it is its session's. */
export function requestOf({ request, resourceType, redirectedRequestId }: RequestPaused) {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  return {
    url: request.url,
    method: request.method.toUpperCase(),
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    body: bodyOf(request),
    bytes: bytesOf(request),
    type: resourceType ?? 'Other',
    isRedirect: redirectedRequestId !== undefined,
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
