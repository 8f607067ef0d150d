import { createHmac, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import type { Clock } from '../../../actors/runtime/ports.ts'
import type { BillingPort, PaymentEvent } from '../deps.ts'
import { CREDITS_PER_EVENT_MAX, PAYMENT_TOLERANCE_S } from './limits.ts'

/** Stripe's metadata holds text only; other senders of the same format may give a number. */
const Credits = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,10}$/), v.transform(Number))]),
  v.integer(),
  v.minValue(1),
  v.maxValue(CREDITS_PER_EVENT_MAX),
)
const Named = v.object({ type: v.string() })
const Identified = v.object({ id: v.pipe(v.string(), v.nonEmpty(), v.maxLength(255)) })
const Metadata = v.object({ data: v.object({ object: v.object({ metadata: v.record(v.string(), v.unknown()) }) }) })

/** [B8, B16] What is paid at once, and what is paid days after the checkout (a bank debit), or not at all. */
const COMPLETED = 'checkout.session.completed'
const PAID_LATER = 'checkout.session.async_payment_succeeded'
const NOT_PAID = 'checkout.session.async_payment_failed'
const Status = v.object({ data: v.object({ object: v.object({ payment_status: v.string() }) }) })

/**
 * [B6–B11] Reads the payment provider's webhook. The signature is checked over the raw body, in constant time, and its
 * age against `clock`; nothing of a body that is not proven to be the provider's is looked at. Never throws.
 */
export function openBilling(options: {
  readonly webhookSecret: string
  readonly freePerMonth: number
  readonly clock: Pick<Clock, 'now'>
}): BillingPort {
  return {
    freePerMonth: options.freePerMonth,
    verify(rawBody, signature) {
      return isSigned(rawBody, signature, options.webhookSecret, options.clock.now())
        ? eventOf(rawBody)
        : unhandled(null, `The signature does not fit the body, or is not of the last ${PAYMENT_TOLERANCE_S} seconds.`)
    },
  }
}

/**
 * [B7] Whether the provider signed this body, about now. The header is `t=<seconds>,v1=<HMAC-SHA256 in hex>`, with a
 * `v1` for each secret while one is being replaced; what is signed is `<seconds>.<body>`.
 */
function isSigned(rawBody: Uint8Array, header: string, secret: string, now: number): boolean {
  const fields = header.split(',').map((field) => field.trim().split('='))
  const time = fields.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(Math.floor(now / 1000) - Number(time)) > PAYMENT_TOLERANCE_S) return false
  const expected = createHmac('sha256', secret).update(`${time}.`).update(rawBody).digest()
  return fields
    .filter(([name]) => name === 'v1')
    .map(([, value = '']) => Buffer.from(value, 'hex'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
}

function eventOf(rawBody: Uint8Array): PaymentEvent {
  const body = parsed(rawBody)
  const named = v.safeParse(Named, body)
  if (!named.success) return unhandled(null, 'The body must be a JSON object with a type.')
  const event = named.output.type
  if (event === NOT_PAID) return { kind: 'noted', event, reason: 'A payment failed.' }
  if (event !== COMPLETED && event !== PAID_LATER) return unhandled(event, 'Events of this type are not handled.')
  const status = v.safeParse(Status, body)
  if (event === COMPLETED && status.success && status.output.data.object.payment_status === 'unpaid') {
    return { kind: 'noted', event, reason: 'A checkout is not paid yet.' }
  }
  const identified = v.safeParse(Identified, body)
  if (!identified.success) return unhandled(event, 'The event has no id.')
  const found = v.safeParse(Metadata, body)
  const metadata = found.success ? found.output.data.object.metadata : {}
  if (typeof metadata.workspace_id !== 'string') return unhandled(event, 'metadata.workspace_id is missing.')
  const credits = v.safeParse(Credits, metadata.credits)
  if (!credits.success) return unhandled(event, 'metadata.credits must be a positive integer.')
  return {
    kind: 'credits',
    event,
    id: identified.output.id,
    workspaceId: metadata.workspace_id,
    credits: credits.output,
  }
}

function parsed(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(rawBody))
  } catch {
    return null
  }
}

const unhandled = (event: string | null, reason: string): PaymentEvent => ({ kind: 'unhandled', event, reason })
