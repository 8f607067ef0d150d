import { askAgain, check, enqueue, grant, recordStart, refuse, refuseAway, workspace } from './workspace-parts.ts'

/**
 * [T14–T19] The order in which a workspace checks a start, and the checks after which a refused start counts as one, too: one
 * transition decides.
 */
export const admission = workspace.createStateConfig({
  on: {
    'admission.http': [
      { guard: check('allowanceStale'), actions: askAgain },
      { guard: check('profileSaving'), actions: askAgain },
      { guard: check('noAllowance'), actions: refuse('no_allowance') },
      { guard: check('rateRefuses'), actions: refuse('rate_limited') },
      { guard: check('slotsRefuse'), actions: [recordStart, refuse('too_many_running')] },
      { guard: check('sessionMissing'), actions: [recordStart, refuse('session_not_found')] },
      { guard: check('sessionForeign'), actions: [recordStart, refuse('session_forbidden')] },
      { guard: check('awayRefuses'), actions: [recordStart, refuseAway] },
      { guard: check('sessionExpired'), actions: [recordStart, refuse('session_expired')] },
      { guard: check('queueFull'), actions: refuse('queue_full') },
      { guard: check('waits'), actions: enqueue },
      { actions: [recordStart, ...grant('held')] },
    ],
    // [R28, R29] The order of the side panel; no expiry check.
    'admission.relay': [
      { guard: check('sessionMissing'), actions: refuse('session_not_found') },
      { guard: check('sessionForeign'), actions: refuse('session_not_found') },
      { guard: check('sessionAway'), actions: refuse('session_not_connected') },
      { guard: check('allowanceStale'), actions: askAgain },
      { guard: check('noAllowance'), actions: refuse('no_allowance') },
      { guard: check('rateExceeded'), actions: refuse('rate_limited') },
      { guard: check('tooManyRunning'), actions: [recordStart, refuse('too_many_running')] },
      { actions: [recordStart, ...grant('held')] },
    ],
    // [T24] Scheduled starts: no billing, no rate limit.
    'admission.internal': [
      { guard: check('sessionMissing'), actions: refuse('session_not_found') },
      { guard: check('sessionForeign'), actions: refuse('session_forbidden') },
      { guard: check('sessionAway'), actions: refuse('session_not_connected') },
      { guard: check('sessionExpired'), actions: refuse('session_expired') },
      { guard: check('tooManyRunning'), actions: refuse('too_many_running') },
      { actions: grant('free') },
    ],
  },
})
