import type { Allowance, Door, Ms } from '../machines/records.ts'
import type { Awaitable, Ports } from './ports.ts'

/** The UTC month of a time, as the free tier counts it: `2026-11`. */
export const monthOf = (at: Ms): string => new Date(at).toISOString().slice(0, 7)

/** Without billing, and through the internal door, tasks are free. */
const FREE: Allowance = { freeRemaining: null, creditBalance: 0 }

/** [B] What a workspace may still start, running tasks not counted. At once where the store can. */
export function readAllowance(
  { billing, store, clock }: Pick<Ports, 'billing' | 'store' | 'clock'>,
  workspaceId: string,
  door: Door,
): Awaitable<Allowance> {
  if (door === 'internal') return FREE
  const ledger = store.ledger.get(workspaceId, monthOf(clock.now()))
  const allowance = ({ freeUsed, credits }: { freeUsed: number; credits: number }): Allowance => ({
    freeRemaining: billing === null ? null : Math.max(0, billing.freePerMonth - freeUsed),
    creditBalance: credits,
  })
  return ledger instanceof Promise ? ledger.then(allowance) : allowance(ledger)
}
