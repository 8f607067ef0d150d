import * as v from 'valibot'
import type { Clock, Log } from '../../actors/runtime/ports.ts'
import { SECOND_MS } from '../../machines/limits.ts'
import type { FetchedFile, FetchFiles } from '../api/deps.ts'
import { mediaType } from '../wire/files.ts'
import {
  type AllowedAddresses,
  assertAllowed,
  guardedLookup,
  guardOf,
  PrivateAddressError,
  type Resolve,
} from './address-guard.ts'
import { NetworkError } from './network-error.ts'
import type { OpenAnswer, Outgoing } from './outgoing.ts'

/** All files of one start are fetched within this time, connecting included. */
const FETCH_MS_MAX = 20 * SECOND_MS
const REDIRECTS_MAX = 5
const REDIRECTS = [301, 302, 303, 307, 308]
/** Types that say nothing that the name does not. */
const NO_TYPE = ['application/octet-stream', 'binary/octet-stream']

export interface FileFetchSettings extends AllowedAddresses {
  readonly clock: Clock
  readonly log: Log
  /** All addresses of a name; the system's resolver when it is not given. */
  readonly resolve?: Resolve
}

/** Why a file was not fetched, for the log. */
class NotFetched extends Error {}
class TooLarge extends Error {}

/**
 * [U9] Fetches the files that starts name by URL: by GET, without cookies or keys, from addresses that webhooks may call. Each redirect
 * is checked like the first address. The log names the host and the reason; the caller learns neither, so that nobody can find out
 * by it what there is in a private network.
 */
export function createFileFetch(settings: FileFetchSettings): FetchFiles {
  const { clock, log } = settings
  const guard = guardOf(settings)
  let opened: Promise<Outgoing> | null = null
  const outgoing = () => {
    opened ??= import('./outgoing.ts').then(({ openOutgoing }) =>
      // The size is looked at here, where it is known how much is left.
      openOutgoing({
        keepAliveMs: 0,
        silenceMs: FETCH_MS_MAX,
        answerBytesMax: -1,
        lookup: guardedLookup(guard, settings.resolve),
      }),
    )
    return opened
  }

  /** The answer of the last address of a chain of redirects. `signal` ends what is under way, and with it the body. */
  async function answerOf(start: URL, signal: AbortSignal, redirectsMax: number): Promise<OpenAnswer> {
    let url = start
    for (let hop = 0; hop <= redirectsMax; hop++) {
      assertAllowed(url, guard)
      const left = new AbortController()
      const answer = await (await outgoing()).open(url.href, {
        method: 'GET',
        headers: { 'user-agent': 'browser-task-service', accept: '*/*', 'accept-encoding': 'identity' },
        body: null,
        signal: AbortSignal.any([signal, left.signal]),
      })
      if (answer.status === 200) return answer
      left.abort()
      if (!REDIRECTS.includes(answer.status)) throw new NotFetched(`status ${answer.status}`)
      url = redirected(url, answer.headers.location ?? '')
    }
    throw new NotFetched('too many redirects')
  }

  async function fetched(url: URL, bytesMax: number, signal: AbortSignal, redirectsMax: number): Promise<FetchedFile> {
    const { headers, body } = await answerOf(url, signal, redirectsMax)
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new NotFetched('an encoding')
    if (Number(headers['content-length'] ?? 0) > bytesMax) throw new TooLarge()
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > bytesMax) throw new TooLarge()
      chunks.push(chunk)
    }
    return { bytes: Buffer.concat(chunks), mediaType: typeOf(headers['content-type']) }
  }

  return async (urls, bytesMax, signal, redirectsMax = REDIRECTS_MAX) => {
    const abort = new AbortController()
    const giveUp = () => abort.abort(new NotFetched('given up'))
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    const timer = clock.setTimeout(() => abort.abort(new NotFetched('timeout')), FETCH_MS_MAX)
    const files: FetchedFile[] = []
    let left = bytesMax
    try {
      for (const url of urls) {
        const file = await fetched(new URL(url), left, abort.signal, redirectsMax)
        left -= file.bytes.length
        files.push(file)
      }
      return files
    } catch (error) {
      const isTooLarge = error instanceof TooLarge
      const reason = isTooLarge ? 'too large' : reasonOf(error)
      log.info({ host: new URL(urls[files.length] ?? '').host, reason }, 'A file could not be fetched')
      return { failed: files.length, isTooLarge }
    } finally {
      clock.clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      // A body that was not read to its end is not waited for.
      abort.abort()
    }
  }
}

/** Never from https to http, nor to an address with a name or password in it. @throws NotFetched */
export function redirected(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null
  const isAllowed = to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:')
  if (!to || !isAllowed || to.username !== '' || to.password !== '')
    throw new NotFetched('a redirect that is not followed')
  return to
}

function typeOf(header: string | undefined): string | null {
  const type = header?.split(';')[0]?.trim().toLowerCase() ?? ''
  return v.is(mediaType, type) && !NO_TYPE.includes(type) ? type : null
}

function reasonOf(error: unknown): string {
  if (error instanceof NetworkError) return error.reason
  if (error instanceof PrivateAddressError) return error.code
  return error instanceof NotFetched ? error.message : 'invalid request'
}
