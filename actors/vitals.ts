import { createStore } from '@xstate/store'

/** Counters of what the list of actors does not show: for health, dashboard and metrics. */
export const createVitals = () =>
  createStore({
    context: {
      startsGranted: 0,
      /** By refusal code. */
      startsRefused: {} as Readonly<Record<string, number>>,
      /** By `ended_by`. */
      tasksEnded: {} as Readonly<Record<string, number>>,
      /** Results of calls that were not pending. */
      resultsDropped: 0,
    },
    on: {
      granted: (context) => ({ ...context, startsGranted: context.startsGranted + 1 }),
      refused: (context, event: { code: string }) => ({
        ...context,
        startsRefused: counted(context.startsRefused, event.code),
      }),
      ended: (context, event: { by: string }) => ({ ...context, tasksEnded: counted(context.tasksEnded, event.by) }),
      resultDropped: (context) => ({ ...context, resultsDropped: context.resultsDropped + 1 }),
    },
  })

export type Vitals = ReturnType<typeof createVitals>

const counted = (counts: Readonly<Record<string, number>>, name: string) => ({
  ...counts,
  [name]: (counts[name] ?? 0) + 1,
})
