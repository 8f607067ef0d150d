import type { CdpSession } from '../act/cdp.ts'
import { isResponse, type PausedRequest, type RequestPaused, requestOf } from './paused.ts'

/** How long the browser may take to refuse a request, and to make it again; with a preflight it asks a server first. */
const REFUSED_MS_MAX = 5_000
const AGAIN_MS_MAX = 5_000
const SELF_TEST_MS_MAX = 5_000
/** Of this machine, where nothing listens: no request of the self-test is to leave the browser. */
const NOBODY = 'http://127.0.0.1:65530/'

/** A request that is held: the network has refused it, and its page has not been told so yet. */
interface Refused {
  /** Resolves to whether its failure waits here. */
  readonly refused: Promise<boolean>
  readonly isRefused: (isRefused: boolean) => void
  /** What becomes of it when the browser makes it again. */
  again: ((event: RequestPaused) => unknown) | null
}

/**
 * [I20] The paused requests of one session of the protocol. Chromium lets requests that are paused **go on** when the one who has
 * paused them goes: the debugger is cancelled, the tab is closed, the extension or the browser ends. So a request that is held is at once
 * sent to an address that the network refuses, and it is the refusal that waits: whatever goes lets a failure go on.
 * When it is approved, it is answered by a redirect to where it was to go.
 * No document promises that this works: `selfTest` looks whether it does. Where it does not, a held request fails at once.
 */
export class PausedRequests {
  readonly #send: CdpSession['send']
  readonly #held = new Map<string, Refused>()
  #canRefuse = true
  #test: { readonly url: string; takes(event: RequestPaused): void } | null = null

  constructor({ send }: Pick<CdpSession, 'send'>) {
    this.#send = send
  }

  /** Whether the event is of a request that is held here; then it has been seen to. */
  takes(event: RequestPaused): boolean {
    if (this.#test && event.request.url.startsWith(this.#test.url)) this.#test.takes(event)
    else if (isResponse(event)) {
      const held = this.#held.get(event.requestId)
      held?.isRefused(true)
      return held !== undefined
    } else {
      const again = this.#held.get(event.redirectedRequestId ?? '')?.again
      again?.(event)
      return again !== undefined && again !== null
    }
    return true
  }

  of(event: RequestPaused): PausedRequest {
    const { requestId } = event
    const request = requestOf(event)
    // A navigation that is aborted leaves its page as it is; a blocked one shows an error in its place.
    const failure = { requestId, errorReason: request.type === 'Document' ? 'Aborted' : 'BlockedByClient' }
    const fail = () => this.#did('Fetch.failRequest', failure)
    let hold: Refused | null = null
    let isDropped = false
    return {
      ...request,
      hold: () => {
        if (this.#canRefuse) hold = this.#refuse(event)
        else {
          isDropped = true
          void fail()
        }
      },
      proceed: async (isWanted = () => true) => {
        if (isDropped) return false
        return hold === null
          ? this.#did('Fetch.continueRequest', { requestId })
          : this.#sendAgain(event, hold, isWanted)
      },
      fail: async () => {
        if (isDropped) return true
        if (hold === null) return fail()
        const isThere = await inTime(hold.refused, REFUSED_MS_MAX)
        this.#held.delete(requestId)
        return isThere && fail()
      },
    }
  }

  /** Whether what is held here is held. `ask` has a page of the tab request an address, whatever comes of it. */
  async selfTest(ask: (address: string) => Promise<unknown>): Promise<boolean> {
    const url = `${NOBODY}${crypto.randomUUID()}`
    let passed: (isPassed: boolean) => void = () => {}
    const result = new Promise<boolean>((resolve) => {
      passed = resolve
    })
    let first: RequestPaused | null = null
    let hold: Refused | null = null
    let hasCome = false
    const takes = (event: RequestPaused) => {
      const isFirst = first === null
      first ??= event
      if (isFirst) {
        hold = this.#refuse(event)
        void this.#sendAgain(event, hold, () => false).then((isSent) => passed(hasCome && !isSent))
      } else if (isResponse(event)) hold?.isRefused(event.requestId === first.requestId && isRefusal(event))
      else if (event.redirectedRequestId === first.requestId && hold?.again) {
        hasCome = true
        hold.again(event)
      } else void this.#did('Fetch.failRequest', { requestId: event.requestId, errorReason: 'Aborted' })
    }
    this.#test = { url, takes }
    ask(url).catch(() => passed(false))
    this.#canRefuse = await inTime(result, SELF_TEST_MS_MAX)
    this.#test = null
    return this.#canRefuse
  }

  /** As an earlier `selfTest` has found. */
  set canRefuse(canRefuse: boolean) {
    this.#canRefuse = canRefuse
  }

  #refuse({ requestId, request }: RequestPaused): Refused {
    let isRefused: (isRefused: boolean) => void = () => {}
    const refused = new Promise<boolean>((resolve) => {
      isRefused = resolve
    })
    const held: Refused = { refused, isRefused, again: null }
    this.#held.set(requestId, held)
    // A port that is not allowed makes `Origin` null, another method breaks CORS, and both let a page of errors load itself again.
    const url = `blob:${new URL(request.url).origin}/held`
    this.#did('Fetch.continueRequest', { requestId, url, interceptResponse: true }).then((isThere) => {
      if (isThere) return
      isRefused(false)
      this.#held.delete(requestId)
    })
    return held
  }

  async #sendAgain(event: RequestPaused, held: Refused, isWanted: () => boolean): Promise<boolean> {
    const { requestId, request } = event
    const isThere = await inTime(held.refused, REFUSED_MS_MAX)
    const again = new Promise<boolean>((resolve) => {
      held.again = async ({ requestId: id }) => {
        if (isWanted()) return resolve(await this.#did('Fetch.continueRequest', { requestId: id }))
        await this.#did('Fetch.failRequest', { requestId: id, errorReason: 'Aborted' })
        resolve(false)
      }
    })
    const isAnswered = isThere && (await this.#did('Fetch.fulfillRequest', { requestId, ...redirectTo(request) }))
    const isSent = isAnswered && (await inTime(again, AGAIN_MS_MAX))
    this.#held.delete(requestId)
    return isSent
  }

  #did = (method: string, params: object): Promise<boolean> =>
    this.#send(method, params).then(
      () => true,
      () => false,
    )
}

/** The network did not try to reach anybody. */
const isRefusal = ({ responseErrorReason }: RequestPaused): boolean =>
  responseErrorReason !== undefined && !/Connection|TimedOut|Internet|Address|Name/.test(responseErrorReason)

/** To the same address, with method and body as they were. Without a body of its own the answer is not delivered. */
function redirectTo({ url, urlFragment = '', headers = {} }: RequestPaused['request']): object {
  const [, origin = '*'] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'origin') ?? []
  const responseHeaders = [
    { name: 'Location', value: url + urlFragment },
    { name: 'Access-Control-Allow-Origin', value: origin },
    { name: 'Access-Control-Allow-Credentials', value: 'true' },
  ]
  return { responseCode: 307, responseHeaders, body: 'eA==' }
}

/** `false` where the answer is late. */
function inTime(answer: Promise<boolean>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms)
    void answer.then((value) => {
      clearTimeout(timer)
      resolve(value)
    })
  })
}
