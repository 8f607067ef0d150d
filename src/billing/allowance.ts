import type { Store } from '../../actors/ports.ts'
import type { Allowance, Ms } from '../../machines/records.ts'

const MONTH_CHARS = 'YYYY-MM'.length

/** [B2] The month that a free task is counted in: `YYYY-MM`, UTC. */
export const monthOf = (at: Ms): string => new Date(at).toISOString().slice(0, MONTH_CHARS)

/**
 * [B5] What a workspace may still have completed in the month of `now`, running tasks not counted.
 * A free tier that was made smaller than what is used leaves 0, not less.
 */
export async function allowanceOf(
  ledger: Pick<Store['ledger'], 'get'>,
  workspaceId: string,
  now: Ms,
  freePerMonth: number,
): Promise<Allowance> {
  const { freeUsed, credits } = await ledger.get(workspaceId, monthOf(now))
  return { freeRemaining: Math.max(0, freePerMonth - freeUsed), creditBalance: credits }
}
