import { callAddress, taskAddress } from '../machines/addresses.ts'
import { isHarmless } from '../machines/approval.ts'
import { callMachine } from '../machines/call.ts'
import { CONFINES, HAS_CONTEXTS } from '../machines/domains.ts'
import { HOLDS, RELEASE } from '../machines/held.ts'
import { HAS_PROFILES } from '../machines/profiles.ts'
import { TELLS_TARGETS } from '../machines/recipe.ts'
import type { CallOutcome, ToolCall } from '../machines/records.ts'
import { FILLS_SECRETS } from '../machines/secrets.ts'
import {
  cannotConfine,
  cannotFillSecrets,
  cannotRelease,
  type Failure,
  noContextOptions,
  noProfiles,
} from '../machines/texts.ts'
import type { Conversation } from './conversation/conversation.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { secretsForFrame } from './secrets.ts'

/**
 * Runs a pending tool call: its frame is sent through the outbox. A frame to a closed socket is dropped; the session is
 * notified of the close.
 */
export const callActor = (system: ActorSystem) =>
  callMachine.provide({
    actions: {
      sendFrame: (_, call) => {
        const conversation = system.conversations.of(call.taskId)
        if (!(conversation instanceof Promise)) return send(system, call, conversation)
        conversation.then(
          (restored) => send(system, call, restored),
          // The task is gone.
          () => {},
        )
      },
      answerTask: (_, { call: { taskId, requestId }, outcome }) => {
        const at = system.ports.clock.now()
        system.registry.post(taskAddress(taskId), { type: 'call.settled', requestId, outcome, at })
      },
    },
  })

/**
 * [F3, R13, X3] Sends the frame of a call. A browser that cannot confine tasks to their domains gets no calls of a confined
 * task, and one that cannot fill in secrets gets no secrets. Their values are sent beside the input, which is stored and
 * shown without them.
 */
function send(system: ActorSystem, call: ToolCall, conversation: Conversation): void {
  const { requestId, sessionId, taskId, tool, input, allowedShapes, intent, guard } = call
  // It may have been settled while it waited: by its time limit, with its browser, or with its task.
  const isPending = () => system.registry.has(callAddress(requestId))
  if (!isPending()) return
  const { allowedDomains, approvals, startsAt, contextOptions, profile } = conversation
  const announced = system.browserTools.get(sessionId)
  const settle = (outcome: CallOutcome) =>
    void system.registry.post(callAddress(requestId), { type: 'call.answered', outcome })
  const unheld = approvals === 'never' || announced?.includes(HOLDS) ? null : outcomeUnheld(call)
  if (unheld) {
    settle(unheld)
    return
  }
  const named = secretsForFrame(system, { ...call, input: call.heldInput ?? input }, conversation)
  if ('waitMs' in named) {
    system.ports.clock.setTimeout(() => send(system, call, conversation), named.waitMs)
    return
  }
  const secrets = 'failure' in named ? [] : named.secrets
  const refusal: Failure | null =
    allowedDomains && !announced?.includes(CONFINES)
      ? cannotConfine
      : contextOptions && !announced?.includes(HAS_CONTEXTS)
        ? noContextOptions
        : profile && !announced?.includes(HAS_PROFILES)
          ? noProfiles
          : secrets.length > 0 && !announced?.includes(FILLS_SECRETS)
            ? cannotFillSecrets
            : 'failure' in named
              ? named.failure
              : null
  if (refusal) {
    settle({ status: 'failed', ...refusal })
    return
  }
  const traceparent = system.ports.traces?.call(taskId, requestId)
  const frame = {
    ...{ type: 'mcp_execute_tool', requestId, browserSessionId: sessionId, taskId, tool, input },
    ...(allowedDomains ? { allowedDomains } : {}),
    ...(contextOptions ? { context: contextOptions } : {}),
    ...(profile ? { profile: true } : {}),
    ...(secrets.length > 0 ? { secrets } : {}),
    ...(approvals === 'never' ? {} : { approvals, ...(allowedShapes ? { allowedShapes } : {}) }),
    ...(intent && approvals !== 'never' ? { intent } : {}),
    // [J2] Of a task that makes or plays a recipe its browser tells what it acts on.
    ...(conversation.recipe && announced?.includes(TELLS_TARGETS) ? { guard: guard ?? {} } : {}),
    ...(startsAt !== null && !conversation.hasActed ? { startsAt } : {}),
    ...(traceparent ? { traceparent } : {}),
  }
  system.ports.outbox.send(sessionId, frame, isPending)
}

/**
 * [I6] Of a browser that cannot hold what a call causes, the call itself is asked for, unless it only looks; `null`: it
 * is sent.
 */
function outcomeUnheld(call: ToolCall): CallOutcome | null {
  if (call.tool === RELEASE) return { status: 'failed', ...cannotRelease }
  return call.isApproved || isHarmless(call) ? null : { status: 'held', held: null }
}
