import { assign, enqueueActions, setup } from 'xstate'
import {
  answered,
  type CheckRecord,
  currentRequest,
  type Decision,
  type DecisionEffect,
  FINISH,
  NO_ANSWER,
  NOT_HELD,
  newTask,
  next,
  type ReplyRecord,
  type ResultRecord,
  replied,
  type Settlement,
  settled,
  stopped,
  toolCall,
} from './agent-loop.ts'
import { leftOf } from './budget.ts'
import { type AlarmInput, during, effect, postAll, provided } from './effects.ts'
import { LAST_REPLY_MS, MODEL_ATTEMPT_MS_MAX, MODEL_ATTEMPTS_MAX, POOL_BROWSER_WAIT_MS } from './limits.ts'
import type { Ending, JournalCall, Ms } from './records.ts'
import { isServed } from './served-calls.ts'
import { endingOf, isOutputOnly, type ModelGaveUp, modelEnd, type StopEvent, stopEnd } from './task-endings.ts'
import type {
  AskParams,
  End,
  ModelReply,
  OpenCall,
  PausedBy,
  RecordedAnswer,
  TaskContext,
  TaskEvent,
  TaskInput,
} from './task-types.ts'
import { relayNotConnected } from './texts.ts'

const effects = setup({
  types: {
    context: {} as TaskContext,
    events: {} as TaskEvent,
    input: {} as TaskInput,
    output: {} as Ending,
    tags: {} as 'transient',
  },
  actors: {
    alarm: effect<AlarmInput>(),
    /** After a restart: finds the result in the log, or has the session ask its browser. */
    reconcile: effect<{ taskId: string; requestId: string }>(),
    /** [Z5] Has its workspace look for another browser. */
    wantPlace: effect<{ taskId: string; workspaceId: string; pool: string }>(),
    /** The end of the time for an answer. */
    inputExpiry: effect<{ taskId: string; event: 'input.expired'; at: Ms }>(),
  },
  actions: {
    postAll,
    /** Asks the model for the reply of a step, or takes it from the log. Sends its event within the time limit. */
    ask: provided<AskParams>('ask'),
    /** Waits until the intent of the current call is durable. Its frame must not be sent before. */
    keep: provided<Pick<TaskContext, 'taskId' | 'sessionId' | 'workspaceId'>>('keep'),
    /** Ends what `ask` or `keep` began. */
    endEffect: provided('endEffect'),
    /** [L41] Carries out the current call, or asks for a call that it needs. Begun again after a restart. */
    serve: provided<Pick<TaskContext, 'taskId'>>('serve'),
    openCall: provided<OpenCall>('openCall'),
    /** Appends the reply to the log, with the final request ids of its calls. */
    recordReply: provided<ReplyRecord>('recordReply'),
    recordCall: provided<{ context: TaskContext }>('recordCall'),
    recordResult: provided<ResultRecord>('recordResult'),
    /** Gives the model the check of its answer as the result of its `finish`. */
    recordCheck: provided<CheckRecord>('recordCheck'),
    /** Appends the question to the log, and sends it to the browser. */
    recordInput: provided<{ context: TaskContext }>('recordInput'),
    recordAnswer: provided<RecordedAnswer>('recordAnswer'),
    /** [Z5] Tells the log, and the callers that look up the task's browser, which other browser it has. */
    recordMove: provided<{ taskId: string; sessionId: string }>('recordMove'),
  },
})

/** Takes the context of a decision, and has its effects carried out. */
const deciding = <Params extends object | undefined>(decide: (context: TaskContext, params: Params) => Decision) =>
  enqueueActions<TaskContext, TaskEvent, Params, TaskEvent, never, DecisionEffect, never>(
    ({ context, enqueue }, params) => {
      const decision = decide(context, params)
      // Every assign copies the context and the snapshot: what changes together is one.
      if (decision.context !== context) enqueue.assign(() => decision.context)
      for (const effect of decision.effects) enqueue(effect)
    },
  )

type With<Event> = { context: TaskContext; event: Event }

const contextOf = ({ context }: { context: TaskContext }): TaskContext => context
const DISPATCHING = '#task.running.dispatching'
const isCurrent = { type: 'isCurrent', params: ({ event }: With<{ requestId: string }>) => event } as const
const isItsSession = { type: 'isItsSession', params: ({ event }: With<{ sessionId: string }>) => event } as const

const takesReply = {
  target: DISPATCHING,
  actions: { type: 'takeReply', params: ({ event }: With<ModelReply>) => event },
} as const

/** The model gave up, or may be asked again; the task is ended from outside. */
const gaveUp = {
  target: '#task.ended',
  actions: { type: 'end', params: ({ context, event }: With<ModelGaveUp>) => modelEnd(context, event) },
} as const
const retries = {
  guard: 'hasAttempts',
  target: 'backingOff',
  actions: {
    type: 'countAttempt',
    params: ({ event }: With<{ retryAt?: Ms; at: Ms }>) => event.retryAt ?? event.at,
  },
} as const

/** The model is asked anew: for its last reply, or with the message that interrupts it. */
const hurries = { guard: 'mayHurry', target: DISPATCHING, actions: 'hurry' } as const
const interrupts = {
  guard: { type: 'isInterrupt', params: ({ event }: With<{ interrupt: boolean }>) => event },
  target: DISPATCHING,
  actions: { type: 'countMessage', params: ({ event }: With<{ interrupt: boolean }>) => event },
} as const

const stops = {
  target: '#task.ended',
  actions: { type: 'stop', params: ({ event }: With<StopEvent>) => stopEnd(event) },
} as const

/** The browser has answered the current call: with a result, or [I5] with what it holds until the user approves it. */
const settles = {
  guard: isCurrent,
  target: DISPATCHING,
  actions: { type: 'takeResult', params: ({ event }: With<Settlement>) => event },
} as const

/** [T37] No browser came in time. */
const noBrowser = {
  target: DISPATCHING,
  actions: {
    type: 'takeResult',
    params: ({ event: { at } }: With<{ at: Ms }>) => ({
      outcome: { status: 'failed' as const, ...relayNotConnected },
      at,
    }),
  },
} as const

/** [Z5] */
const takesPlace = [
  {
    type: 'recordMove',
    params: ({ context: { taskId }, event: { sessionId } }: With<{ sessionId: string }>) => ({ taskId, sessionId }),
  },
  { type: 'takePlace', params: ({ event }: With<{ sessionId: string }>) => event },
] as const

/** [D9] The session was lost with the call: it may or may not have been carried out. */
const losesCall = {
  guard: isItsSession,
  target: DISPATCHING,
  actions: {
    type: 'takeResult',
    params: ({ event: { at } }: With<{ at: Ms }>) => ({ outcome: { status: 'unknown' as const }, at }),
  },
} as const

/**
 * One task run: thinking, acting, thinking … until the model answers. It ends exactly once, with an `Ending` as its
 * output; that the ending is charged, written and announced is `closing`'s business. What follows from a reply, a result
 * or an answer is decided in agent-loop.ts, and how it ends in task-endings.ts.
 *
 * Kept: a row per change, but for the entry of states tagged `transient`, whose predecessor restores to the same thing.
 */
export const taskMachine = effects
  .extend({
    actions: {
      takeReply: deciding(replied),
      /** Decides what comes next, with the results of calls that are not sent. */
      dispatch: deciding(next),
      takeResult: deciding(settled),
      takeAnswer: deciding(answered),
      /** [L41] It comes before the call that asks for it. */
      takeNested: assign(({ context }, { call, at }: { call: JournalCall; at: Ms }) => ({
        calls: [call, ...context.calls],
        at,
      })),
      stop: deciding(stopped),
      end: assign((_, end: End) => ({ end })),
      countAttempt: assign(({ context }, retryAt: Ms) => ({ attempt: context.attempt + 1, retryAt })),
      /** The result was durable before a crash: what it says about the calls after it still counts. */
      recoverCall: assign(({ context }, { halted, at }: { halted: TaskContext['halted']; at: Ms }) => ({
        calls: context.calls.slice(1),
        ...NOT_HELD,
        halted: context.halted ?? halted,
        at,
      })),
      markTime: assign((_, at: Ms) => ({ at })),
      setBrowserInstance: assign((_, browserInstanceId: string | null) => ({ browserInstanceId })),
      /** [L2] What is left of the step is not run: there is time for one more reply. An answer that is given needs none. */
      hurry: assign(({ context }) => ({
        endsSoon: true,
        halted:
          context.hasFinish && context.calls.some(({ tool }) => tool !== FINISH)
            ? ('deadline' as const)
            : context.halted,
      })),
      pause: assign(({ context }, by: PausedBy) => ({ pausedBy: [...new Set([...context.pausedBy, by])] })),
      resume: assign(({ context }, by: PausedBy) => ({ pausedBy: context.pausedBy.filter((other) => other !== by) })),
      /** [I1] Unread, until the model is asked again. With `interrupt` what is left of the step is not run. */
      countMessage: assign(({ context }, { interrupt }: { interrupt: boolean }) => ({
        unread: context.unread + 1,
        halted: interrupt && context.calls.length > 0 ? ('message' as const) : context.halted,
      })),
      /** [T59] The task leaves the queue. */
      begin: assign(
        ({ context }, { deadlineAt, at, sessionId }: { deadlineAt: Ms; at: Ms; sessionId?: string | undefined }) => ({
          ...{ deadlineAt, begun: true, at },
          sessionId: sessionId ?? context.sessionId,
        }),
      ),
      /** [Z5] In another browser its page is gone. */
      takePlace: assign(({ context }, { sessionId }: { sessionId: string }) =>
        sessionId === context.sessionId ? {} : { sessionId, browserInstanceId: null, pageLost: true },
      ),
    },
    guards: {
      /** It has not had its turn in the queue yet. */
      isQueued: ({ context }) => !context.begun,
      /** Any browser of a pool may carry it out. */
      isPooled: ({ context }) => context.pool !== null,
      /** What was decided is an end. */
      hasEnded: ({ context }) => context.end !== null,
      /** The user is to be asked first. */
      asksUser: ({ context }) => context.inputRequest !== null,
      /** A client or the user has paused it. */
      isPaused: ({ context }) => context.pausedBy.length > 0,
      /** Everybody who had paused it has resumed it. */
      notPaused: ({ context }) => context.pausedBy.length === 0,
      /** The reply has calls that were not made yet. */
      hasCall: ({ context }) => context.calls.length > 0,
      /** The service carries the call out itself, without the browser. */
      servesCall: ({ context: { calls, release } }) => release === null && calls[0] !== undefined && isServed(calls[0]),
      /** The model may be asked for this reply once more. */
      hasAttempts: ({ context }) => context.attempt + 1 < MODEL_ATTEMPTS_MAX,
      /** There is a last reply to ask for. After a restart the last minute begins again: then it is asked for already. */
      mayHurry: ({ context }) => context.hasFinish && !context.endsSoon,
      /** The user wants the message read at once. */
      isInterrupt: (_, params: { interrupt: boolean }) => params.interrupt,
      /** It is about the call that is under way. */
      isCurrent: ({ context }, params: { requestId: string }) => currentRequest(context) === params.requestId,
      /** It is about the browser of this task. */
      isItsSession: ({ context }, params: { sessionId: string }) => context.sessionId === params.sessionId,
      /** Another run of the browser is connected than the one that the intent names. */
      isOtherBrowser: ({ context }, params: { browserInstanceId: string | null }) =>
        context.browserInstanceId !== params.browserInstanceId,
      /** It answers what the task asks now. */
      answersRequest: ({ context }, params: { requestId: string }) => context.inputRequest?.id === params.requestId,
    },
  })
  .createMachine({
    id: 'task',
    context: ({ input }) => newTask(input),
    initial: 'starting',
    states: {
      starting: {
        description: 'begins at once,\nor waits in the queue',
        always: [{ guard: 'isQueued', target: 'queued' }, { target: 'running' }],
      },
      /**
       * [T59] Its workspace calls it when its turn comes; its 30 minutes begin then. A service that stops keeps it as it
       * is.
       */
      queued: {
        description: 'waits for a slot,\nor for its browser to connect',
        invoke: {
          src: 'alarm',
          id: 'queueExpiry',
          input: ({ context }) => ({ event: 'queue.expired', at: context.queuedUntil ?? 0 }),
        },
        on: {
          'task.start': { target: 'running', actions: { type: 'begin', params: ({ event }) => event } },
          'queue.expired': stops,
          'queue.closed': stops,
          'task.cancel': stops,
          'task.sweep': stops,
          'effect.crashed': stops,
        },
      },
      running: {
        description: 'its time counts: it thinks and acts in turn, or waits',
        invoke: [
          {
            src: 'alarm',
            id: 'lastMinute',
            input: ({ context }) => ({ event: 'deadline.near', at: context.deadlineAt - LAST_REPLY_MS }),
          },
          {
            src: 'alarm',
            id: 'deadline',
            input: ({ context }) => ({ event: 'deadline.reached', at: context.deadlineAt }),
          },
        ],
        initial: 'dispatching',
        states: {
          /** Decides at once what comes next: an end, the user, a call of the reply, or the next step. */
          dispatching: {
            description: 'decides what comes next',
            entry: 'dispatch',
            always: [
              { guard: 'hasEnded', target: '#task.ended' },
              { guard: 'asksUser', target: 'waitingForPeople' },
              { guard: 'isPaused', target: 'waitingForPeople.paused' },
              { guard: 'servesCall', target: 'callingTool.serving' },
              { guard: 'hasCall', target: 'callingTool' },
              { target: 'askingModel' },
            ],
          },
          askingModel: {
            description: 'asks the model for the next step',
            initial: 'thinking',
            states: {
              /** [L3, L4] One attempt at the reply of a step. It comes within its limit, or `model.timedOut` does. */
              thinking: {
                description: 'waits for the model',
                ...during({
                  type: 'ask',
                  params: ({ context }: { context: TaskContext }) => ({
                    taskId: context.taskId,
                    sessionId: context.sessionId,
                    step: context.step + 1,
                    attempt: context.attempt,
                    outputOnly: isOutputOnly(context),
                    left: leftOf(context),
                    withinMs: MODEL_ATTEMPT_MS_MAX,
                  }),
                } as const),
                on: {
                  'model.failedRetryably': retries,
                  'model.timedOut': retries,
                  'task.resumed': { target: 'thinking', reenter: true },
                },
              },
              backingOff: {
                description: 'waits until the model may be asked again',
                invoke: {
                  src: 'alarm',
                  id: 'retry',
                  input: ({ context }) => ({ event: 'retry.due', at: context.retryAt }),
                },
                on: { 'retry.due': DISPATCHING },
              },
            },
            on: {
              'model.requestedTools': takesReply,
              'model.answered': takesReply,
              'model.failedRetryably': gaveUp,
              'model.timedOut': gaveUp,
              'model.failed': gaveUp,
              'budget.spent': gaveUp,
              'journal.full': gaveUp,
              'recipe.deviated': gaveUp,
              'deadline.near': hurries,
              'message.received': interrupts,
            },
          },
          callingTool: {
            description: 'has one call carried out',
            initial: 'persistingIntent',
            states: {
              /** [D5] The intent of the call is durable before its frame may be sent. */
              persistingIntent: {
                description: 'waits for the disk',
                ...during({ type: 'keep', params: contextOf } as const),
                on: {
                  'intent.kept': [
                    // The browser instance that is asked is part of the intent, and persisted with it.
                    {
                      guard: { type: 'isOtherBrowser', params: ({ event }) => event },
                      target: 'persistingIntent',
                      reenter: true,
                      actions: { type: 'setBrowserInstance', params: ({ event }) => event.browserInstanceId },
                    },
                    { guard: 'isPaused', target: DISPATCHING },
                    { target: 'acting', actions: { type: 'markTime', params: ({ event }) => event.at } },
                  ],
                  // The row says `persistingIntent`, but the frame may have left before the crash.
                  'task.resumed': 'reconciling',
                },
              },
              acting: {
                description: 'waits for its browser\nto carry out the call',
                tags: ['transient'],
                entry: {
                  type: 'openCall',
                  params: ({ context }) => ({
                    call: toolCall(context),
                    at: context.at,
                    browserInstanceId: context.browserInstanceId,
                    workspaceId: context.workspaceId,
                  }),
                },
                on: {
                  'task.resumed': 'reconciling',
                  'session.away': { guard: isCurrent, target: 'waitingForBrowser' },
                  'session.lost': losesCall,
                },
              },
              /** [T37] A call is due, and the browser is away. */
              waitingForBrowser: {
                description: 'waits for its browser to connect',
                invoke: {
                  src: 'alarm',
                  id: 'browserWait',
                  input: ({ context }) => ({
                    event: 'browserWait.timedOut',
                    inMs: context.pool === null ? context.browserWaitMs : POOL_BROWSER_WAIT_MS,
                  }),
                },
                on: {
                  'session.connected': 'persistingIntent',
                  // The session was restarted and does not know which tasks wait: it is asked again.
                  'session.lost': { guard: isItsSession, target: 'persistingIntent' },
                  // The frame was not sent; that the wait timed out may be in the log already.
                  'task.resumed': { target: 'reconciling', actions: { type: 'setBrowserInstance', params: null } },
                  'browserWait.timedOut': [{ guard: 'isPooled', target: 'changingBrowser' }, noBrowser],
                },
              },
              /** [Z5] The browser of its pool is gone: its workspace gives it a place in another one. */
              changingBrowser: {
                description: 'waits for another browser of its pool',
                invoke: [
                  {
                    src: 'wantPlace',
                    id: 'wantPlace',
                    input: ({ context: { taskId, workspaceId, pool } }) => ({ taskId, workspaceId, pool: pool ?? '' }),
                  },
                  {
                    src: 'alarm',
                    id: 'placeWait',
                    input: ({ context }) => ({ event: 'browserWait.timedOut', inMs: context.browserWaitMs }),
                  },
                ],
                on: {
                  'place.given': { target: DISPATCHING, actions: takesPlace },
                  'browserWait.timedOut': noBrowser,
                },
              },
              /** [D8] After a restart: the browser may have run the call. */
              reconciling: {
                description: 'waits for its browser to say\nwhat came of the call',
                invoke: {
                  src: 'reconcile',
                  id: 'reconcile',
                  input: ({ context }) => ({ taskId: context.taskId, requestId: currentRequest(context) ?? '' }),
                },
                on: {
                  // The intent names no browser yet: it is persisted again, for the one that is connected.
                  'call.neverSent': { guard: isCurrent, target: 'persistingIntent' },
                  'session.lost': losesCall,
                },
              },
              /** [L41] Its effect may be repeated after a crash: it changes nothing, or the same. */
              serving: {
                description: 'the service carries out\nthe call itself',
                ...during({ type: 'serve', params: contextOf } as const),
                on: {
                  'task.resumed': { target: 'serving', reenter: true },
                  'deadline.near': hurries,
                  'message.received': interrupts,
                },
              },
            },
            on: {
              'call.settled': settles,
              'call.nested': {
                guard: isCurrent,
                target: 'dispatching',
                actions: { type: 'takeNested', params: ({ event }) => event },
              },
              'call.recovered': {
                guard: isCurrent,
                target: 'dispatching',
                actions: { type: 'recoverCall', params: ({ event }) => event },
              },
            },
          },
          waitingForPeople: {
            description: 'waits for an answer,\nor to be resumed',
            initial: 'waitingForInput',
            states: {
              /** [I4] The wait ends with an answer, at its time limit, or with the task. */
              waitingForInput: {
                description: 'waits for its user,\n10 minutes at most',
                entry: { type: 'recordInput', params: ({ context }) => ({ context }) },
                invoke: {
                  src: 'inputExpiry',
                  id: 'inputExpiry',
                  input: ({ context: { taskId, inputRequest } }) => ({
                    ...{ taskId, event: 'input.expired' as const },
                    at: inputRequest?.expiresAt ?? 0,
                  }),
                },
              },
              /** [I2] No call is sent and no reply is asked for. The deadline still counts. */
              paused: {
                description: 'waits until it is resumed:\nby a client, or by the user in the browser',
                always: { guard: 'notPaused', target: DISPATCHING },
              },
            },
            on: {
              'input.answered': {
                guard: { type: 'answersRequest', params: ({ event }) => event },
                target: 'dispatching',
                actions: { type: 'takeAnswer', params: ({ event }) => ({ ...event, by: 'user' as const }) },
              },
              'input.expired': {
                target: 'dispatching',
                actions: { type: 'takeAnswer', params: ({ event }) => ({ ...event, ...NO_ANSWER }) },
              },
            },
          },
        },
        on: {
          'place.given': { actions: takesPlace },
          'task.pause': { actions: { type: 'pause', params: ({ event }) => event.by } },
          'task.continue': { actions: { type: 'resume', params: ({ event }) => event.by } },
          'message.received': { actions: { type: 'countMessage', params: ({ event }) => event } },
          'deadline.near': { actions: 'hurry' },
          'deadline.reached': stops,
          'task.cancel': stops,
          'task.sweep': stops,
          'task.shutdown': stops,
          'effect.crashed': stops,
        },
      },
      ended: { type: 'final', description: 'has its ending,\nwhich is written next' },
    },
    output: ({ context }) => {
      if (!context.end) throw new Error(`Task ${context.taskId} ended without an ending`)
      return endingOf(context, context.end)
    },
  })
