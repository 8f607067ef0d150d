import type { WebhookEvent } from './api.ts'
import { BrowserTaskError } from './errors.ts'

const TOLERANCE_S = 300
const PREFIX = 'whsec_'

/** Headers of a request, in whatever form a server has them. */
export type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * [Y5] The event in the body of a webhook, once its signature is verified (Standard Webhooks 1.0): over the raw body, by
 * the endpoint's secret, not older than five minutes. Throws a `BrowserTaskError` `webhook_invalid` else,
 * and `webhook_secret_invalid` without a secret.
 */
export async function unwrap<Event = WebhookEvent>(
  body: string | Uint8Array,
  headers: GivenHeaders,
  secret: string,
  now: number = Date.now(),
): Promise<Event> {
  const keyBytes = bytesOf(String(secret ?? '').replace(PREFIX, ''))
  if (keyBytes.length === 0) throw noSecret()
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  )
  if (!id || !timestamp || !signatures) throw invalid('The webhook headers are missing.')
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= TOLERANCE_S)) throw invalid('The webhook is too old or too new.')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const key = await crypto.subtle.importKey('raw', keyBytes, ALGORITHM, false, ['verify'])
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',')
    if (version !== 'v1') continue
    const bytes = bytesOf(value)
    if (await crypto.subtle.verify('HMAC', key, bytes, signed)) return JSON.parse(text) as Event
  }
  throw invalid('The signature of the webhook is wrong.')
}

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

const invalid = (message: string) => new BrowserTaskError(message, { code: 'webhook_invalid', status: 0 })

const noSecret = () =>
  new BrowserTaskError(
    'Pass the secret of the webhook endpoint: whsec_ and base64, as it was shown when it was made.',
    {
      code: 'webhook_secret_invalid',
      status: 0,
    },
  )

function headerOf(headers: GivenHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : (found?.[0] ?? null)
}

/** The bytes of base64; none for what is not. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    return new Uint8Array(0)
  }
}
