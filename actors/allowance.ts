import type { Allowance, Door, Ms } from '../machines/records.ts'
import type { Ports } from './runtime/ports.ts'

/** What the checks of a start need. */

/** The UTC month of a time, as the free tier counts it: `2026-11`. */
export const monthOf = (at: Ms): string => new Date(at).toISOString().slice(0, 7)

/** Without billing, and through the internal door, tasks are free. */
const FREE: Allowance = { freeRemaining: null, creditBalance: 0 }

/** [B1, B2] How many tasks a workspace may still complete, without those that are running. */
export async function readAllowance(
  { billing, store, clock }: Pick<Ports, 'billing' | 'store' | 'clock'>,
  workspaceId: string,
  door: Door,
): Promise<Allowance> {
  if (door === 'internal') return FREE
  const { freeUsed, credits } = await store.ledger.get(workspaceId, monthOf(clock.now()))
  return {
    freeRemaining: billing === null ? null : Math.max(0, billing.freePerMonth - freeUsed),
    creditBalance: credits,
  }
}
