import type { Mutation } from './list.ts'

/** Calls that need an approval. */
const ASKS = { asking: 0.8 }

/** What keeps an approval to what was approved. */
export const APPROVALS: readonly Mutation[] = [
  {
    name: 'what was declined is let go',
    file: 'machines/approval.ts',
    from: "('decline' as const)",
    to: "('accept' as const)",
    plan: ASKS,
  },
  {
    name: 'an approved call is resumed twice',
    file: 'machines/agent-loop.ts',
    from: 'calls: context.calls.slice(1),',
    to: 'calls: context.calls.slice(context.release ? 0 : 1),',
    plan: ASKS,
  },
  {
    name: 'a browser that cannot hold acts before it is asked for',
    file: 'actors/call.ts',
    from: 'call.isApproved || isHarmless(call) ? null',
    to: 'call.isApproved || isHarmless(call) || call.tool ? null',
    plan: ASKS,
  },
]
