import { journalOf } from '../machines/journal.ts'
import type { JournalEntry, TaskRecord } from '../machines/records.ts'
import { limitsLeft } from '../machines/workspace-checks.ts'
import { withDefaults } from '../machines/workspace-limits.ts'
import { groundingOf } from './conversation/grounding.ts'
import { withoutMarks } from './conversation/page-content.ts'
import { RecentLogs } from './events/recent-logs.ts'
import { sessionView } from './live-session-view.ts'
import { taskView } from './live-task-view.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import type { Ports } from './runtime/ports.ts'
import { workspaceContext } from './start-facts.ts'
import { stepsOf } from './step-records.ts'
import type { TaskService, TaskView, Turn } from './task-service.ts'

type Views = Pick<
  TaskService,
  'task' | 'tasks' | 'turns' | 'grounding' | 'steps' | 'screenshot' | 'sessions' | 'models' | 'counts' | 'limitsLeft'
>

/** What clients read: the records, with newer fields from the running actors. */
export function createViews(system: ActorSystem): Views {
  const { registry, ports } = system
  const { store, clock } = ports

  const ownTask = (record: TaskRecord | null, workspaceId: string): TaskView | null =>
    record && record.workspaceId === workspaceId ? taskView(system, record) : null

  return {
    task: async (workspaceId, taskId) => ownTask(await store.tasks.get(taskId), workspaceId),
    tasks: async (page) => (await store.tasks.list(page)).map((record) => taskView(system, record)),
    ...storedViews(ports),
    sessions: async (workspaceId, keyId) =>
      (await store.sessions.list(workspaceId, keyId)).map((record) => sessionView(system, record, clock.now())),
    async limitsLeft(workspaceId) {
      const known = workspaceContext(system, workspaceId)
      if (known) return limitsLeft(known, clock.now())
      const limits = withDefaults(await store.limits.get(workspaceId))
      return limitsLeft({ startTimes: [], running: {}, limits }, clock.now())
    },
    counts: () => ({
      activeTasks: registry.count('task') - system.queued.size + registry.count('closing'),
      pendingToolCalls: registry.count('call'),
    }),
  }
}

/** What every node can answer without the actors of a workspace. */
export function storedViews({
  store,
  model,
  clock,
}: Pick<Ports, 'store' | 'model' | 'clock'>): Pick<
  TaskService,
  'turns' | 'grounding' | 'steps' | 'screenshot' | 'models'
> {
  const logs = new RecentLogs({ store, clock })
  return {
    turns: async (taskId) => turnsOf(journalOf(await logs.of(taskId))),
    grounding: async ({ id, output }) =>
      output ? groundingOf(JSON.parse(output), journalOf(await logs.of(id))) : null,
    async steps(workspaceId, taskId) {
      const record = await store.tasks.get(taskId)
      return record?.workspaceId === workspaceId ? stepsOf(await logs.of(taskId)) : null
    },
    async screenshot(workspaceId, taskId, step) {
      if ((await store.tasks.get(taskId))?.workspaceId !== workspaceId) return null
      const ofStep = (await logs.ofStep(taskId, step)).filter(
        ({ kind, public: said }) => kind === 'tool.result' && said.step === step,
      )
      const shown = stepsOf(ofStep).findLast(({ screenshot }) => screenshot !== null)
      return shown ? store.image(taskId, shown.screenshot ?? 0) : null
    },
    models: () => [...new Set([model.id, ...(model.choices?.keys() ?? [])])],
  }
}

/** [T44] The turns of a task: the replies of its model, each with the results of the tools that it asked for. */
export function turnsOf(journal: readonly JournalEntry[]): Turn[] {
  const results = new Map(
    journal.flatMap((entry) => (entry.kind === 'result' ? [[entry.requestId, entry] as const] : [])),
  )
  return journal.flatMap((entry) => {
    if (entry.kind !== 'reply') return []
    const tools = entry.calls.map(({ requestId, tool, input }) => {
      const result = results.get(requestId)
      const text = withoutMarks(result?.text ?? '')
      return { call_id: requestId, name: tool, input, result: text, durationMs: result?.durationMs ?? 0 }
    })
    return [{ step: entry.step, tools, ai_response: entry.text }]
  })
}
