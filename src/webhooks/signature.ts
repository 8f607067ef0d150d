import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** [W11] A new secret of an endpoint, as Standard Webhooks writes it. */
export const newEndpointSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

/** [W11] The headers of Standard Webhooks 1.0 over these very bytes: one signature for each secret that is valid. */
export function signedHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  secrets: readonly string[],
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
