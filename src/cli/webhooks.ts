import { webhookBodyOf } from '../../actors/webhook-events.ts'
import { WEBHOOK_TYPES } from '../../machines/webhook-records.ts'
import type { Api } from '../client/index.ts'
import { newEndpointSecret, signedHeaders } from '../webhooks/signature.ts'
import { clientOf, type ServiceOptions } from './client.ts'
import { EXIT, usageError } from './exit-codes.ts'
import { onInterrupt } from './interrupt.ts'
import { dim, say } from './terminal.ts'

/**
 * [Q18] Sends the events of the workspace to an address of this machine as a webhook endpoint would get them, read from
 * the log: no public address is needed. Ends when it is interrupted.
 */
export async function listenCommand({
  forwardTo,
  types,
  ...options
}: ServiceOptions & { forwardTo: string; types?: string }): Promise<number> {
  if (!URL.canParse(forwardTo)) throw usageError('--forward-to takes an address, such as http://localhost:3000/hooks.')
  const client = clientOf(options)
  const secret = newEndpointSecret()
  const stop = new AbortController()
  const forget = onInterrupt(() => stop.abort())
  const wanted = (types?.split(',') ?? WEBHOOK_TYPES) as readonly Api.Event['type'][]
  // Where the log ends now: what happens from here on is sent.
  const { next_cursor: after } = await client.request('GET /v1/events', { query: { after: 'now', limit: 1 } })
  say(`The secret of these webhooks is ${secret}`)
  for await (const { cursor: _, ...event } of client.events({ types: wanted, after, signal: stop.signal })) {
    const body = webhookBodyOf({ id: event.id, type: event.type, at: event.at, taskId: event.task_id, data: event })
    const headers = {
      'content-type': 'application/json',
      ...signedHeaders({ id: event.id, body }, [secret], Date.now()),
    }
    const outcome = await fetch(forwardTo, { method: 'POST', headers, body, signal: stop.signal }).then(
      ({ status }) => String(status),
      () => 'not reached',
    )
    say(`${event.type} ${dim(event.id)} → ${outcome}`)
  }
  forget()
  return EXIT.done
}
