import type { CdpSession } from '../../browser/act/cdp.ts'
import { tooLarge } from '../../browser/files.ts'
import type { RequestPaused } from '../../browser/holds/paused.ts'
import { FILE_BYTES_MAX } from '../../wire/limits.ts'
import { BODIES_CAPTURED_MAX, BODY_READ_MS_MAX } from '../limits.ts'

/** Of a request by `<a download>`, in no hurry; the document that a tab or frame goes to is `VeryHigh`. */
const DOWNLOAD_PRIORITY = 'VeryLow'
const SHOWN = /html|xml|json|javascript|event-stream|multipart|pdf|text\/(plain|css)|^\s*(image|audio|video)\//i

type Bytes = Uint8Array<ArrayBuffer>

/**
 * [U5] The bodies of responses that may become downloads, by their addresses. Chrome puts a download into a folder where no
 * extension can read it, so its response is read on its way there. It is asked for once.
 */
export class CapturedDownloads {
  readonly #session: CdpSession
  #bodies = new Map<string, Promise<Bytes>>()

  constructor(session: CdpSession) {
    this.#session = session
  }

  /** A response waits to go on. */
  async paused({ requestId, request, responseStatusCode = 0, responseHeaders = [] }: RequestPaused): Promise<void> {
    const header = (name: string) => responseHeaders.find((each) => each.name.toLowerCase() === name)?.value ?? ''
    const isFound = responseStatusCode >= 200 && responseStatusCode < 300
    const length = header('content-length')
    const isAttachment = /^\s*attachment/i.test(header('content-disposition'))
    const type = header('content-type')
    // A page is not waited for, nor what may never end: without a length, whatever a tab can show.
    const mayDownload =
      isAttachment ||
      request.initialPriority === DOWNLOAD_PRIORITY ||
      (length === '' ? type !== '' && !SHOWN.test(type) : !/html|xml|event-stream/i.test(type))
    const goOn = () => this.#session.send('Fetch.continueRequest', { requestId })
    try {
      if (!isFound || !mayDownload) return
      if (Number(length) > FILE_BYTES_MAX) return this.#keep(request.url, Promise.reject(tooLarge(FILE_BYTES_MAX)))
      const body = await inTime(this.#session.send('Fetch.getResponseBody', { requestId }))
      const { body: text, base64Encoded } = body as { body: string; base64Encoded: boolean }
      this.#keep(request.url, Promise.resolve(base64Encoded ? bytesOf(text) : new TextEncoder().encode(text)))
    } catch {
      // The download goes on where it can, and cannot be read.
    } finally {
      await goOn().catch(() => {})
    }
  }

  /** The bytes of a download that begins; `null` where they cannot be had. */
  take(url: string): Promise<Bytes> | null {
    if (/^(blob|data):/i.test(url)) return this.#inPage(url)
    const body = this.#bodies.get(url) ?? null
    this.#bodies.delete(url)
    return body
  }

  #keep(url: string, body: Promise<Bytes>): void {
    body.catch(() => {})
    this.#bodies.delete(url)
    this.#bodies.set(url, body)
    for (const first of this.#bodies.keys()) {
      if (this.#bodies.size <= BODIES_CAPTURED_MAX) break
      this.#bodies.delete(first)
    }
  }

  /** What a page has made itself only the page can read, and only until it lets go of it. */
  async #inPage(url: string): Promise<Bytes> {
    const expression = `(${readInPage})(${JSON.stringify(url)}, ${FILE_BYTES_MAX})`
    const { result, exceptionDetails } = (await this.#session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as { result: { value?: unknown }; exceptionDetails?: object }
    if (exceptionDetails || typeof result.value !== 'string') throw new Error('The page does not let it be read.')
    return bytesOf(result.value)
  }
}

const readInPage = `async (url, bytesMax) => {
  const blob = await (await fetch(url)).blob()
  if (blob.size > bytesMax) throw new Error('too large')
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}`

function bytesOf(base64: string): Bytes {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('late')), BODY_READ_MS_MAX)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
