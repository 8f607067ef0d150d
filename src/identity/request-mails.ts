import { runningTasks } from '../../actors/running-tasks.ts'
import type { Clock, Log, Store } from '../../actors/runtime/ports.ts'
import type { TaskService, TaskView } from '../../actors/task-service.ts'
import type { InputRequest } from '../../machines/input-request.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../machines/limits.ts'
import type { Ms } from '../../machines/records.ts'
import { Windows } from '../net/windows.ts'
import type { AuthTables } from '../stores/auth-tables.ts'
import type { SendMail } from './mail.ts'
import { mayAs, roleOf } from './roles.ts'

/** Users who want an e-mail when a task needs them: a row each. */
const WISHES = 'mailWish'
/** A task waits so long before anybody is written to: who looks at it answers sooner. */
const WAIT_MS = MINUTE_MS
const EVERY_MS = 15 * SECOND_MS
const MAILS_PER_HOUR_MAX = 20
const TITLE_CHARS_MAX = 120

/** What each person wants to be told by e-mail. */
export interface MailWishes {
  get(userId: string): Promise<boolean>
  set(userId: string, wants: boolean): Promise<void>
}

export function createMailWishes(tables: AuthTables): MailWishes {
  const own = (userId: string) => [{ field: 'id', operator: 'eq', value: userId }] as const
  const get = async (userId: string) => (await tables.find(WISHES, own(userId))).length > 0
  return {
    get,
    async set(userId, wants) {
      if (!wants) await tables.take(WISHES, own(userId))
      else if (!(await get(userId))) await tables.insert(WISHES, { id: userId })
    },
  }
}

export interface NeedsYouDeps {
  readonly taskService: Pick<TaskService, 'tasks'>
  readonly store: Pick<Store, 'traces'> & { readonly workspaces: Pick<Store['workspaces'], 'ofMember'> }
  readonly tables: AuthTables
  readonly mail: SendMail
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** Where the link in the e-mail leads, without a trailing slash. */
  readonly origin: string
  /** Whether what runs of a workspace runs here. */
  owns(workspaceId: string): boolean
}

/** A task that asks, and who of its workspace wants to know. */
interface Asking {
  readonly task: TaskView
  readonly request: InputRequest
  readonly users: readonly string[]
}

/**
 * [P43] Writes to people who want it when a task of theirs has waited for a person for a minute: once for each request, at most,
 * also over a restart, because it is noted before the e-mail is handed in. It has the beginning of the task's text and
 * a link, and nothing that a page or the model said.
 *
 * @returns what looks for such tasks once, and ends the looking
 */
export function openNeedsYou(deps: NeedsYouDeps): { look(): Promise<void>; close(): void } {
  const { taskService, store, tables, mail, clock, log, origin } = deps
  const sent = new Windows(HOUR_MS, MAILS_PER_HOUR_MAX)
  /** When each open request was seen first. */
  let since: ReadonlyMap<string, Ms> = new Map()

  async function usersByWorkspace(): Promise<ReadonlyMap<string, readonly string[]>> {
    const users = new Map<string, string[]>()
    for (const { id } of await tables.find(WISHES, []))
      for (const workspace of await store.workspaces.ofMember(id)) {
        const role = roleOf(workspace, id)
        if (role === null || !mayAs(role, 'act') || !deps.owns(workspace.id)) continue
        users.set(workspace.id, [...(users.get(workspace.id) ?? []), id])
      }
    return users
  }

  async function* asking(): AsyncGenerator<Asking> {
    for (const [workspaceId, users] of await usersByWorkspace())
      for await (const task of runningTasks(taskService, { workspaceId, browserSessionId: null, after: null }))
        if (task.inputRequest) yield { task, request: task.inputRequest, users }
  }

  async function write({ task, request, users }: Asking): Promise<void> {
    if ((await store.traces.get(task.id, 'mail')) === request.id) return
    await store.traces.keep(task.id, 'mail', request.id)
    const value = users.filter((id) => sent.takes(id, clock.now()))
    for (const { email } of await tables.find('user', [{ field: 'id', operator: 'in', value }]))
      if (typeof email === 'string') mail({ to: email, ...letterOf(task, request, origin) })
  }

  async function look(): Promise<void> {
    const now = clock.now()
    const seen = new Map<string, Ms>()
    for await (const each of asking()) {
      const at = since.get(each.request.id) ?? now
      seen.set(each.request.id, at)
      if (now - at >= WAIT_MS) await write(each)
    }
    since = seen
  }

  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look()
      .catch((err) => log.warn({ err }, 'Tasks that need a person could not be looked for'))
      .finally(() => {
        isLooking = false
      })
  }, EVERY_MS)
  timer.unref()
  return { look, close: () => clearInterval(timer) }
}

const ASKS: Readonly<Record<InputRequest['kind'], string>> = {
  question: 'asks a question',
  approval: 'asks for your approval',
  takeover: 'asks you to take over in its browser',
}

function letterOf({ id, workspaceId, task }: TaskView, { kind }: InputRequest, origin: string) {
  const [line = ''] = task.trim().split('\n')
  const title = line.length > TITLE_CHARS_MAX ? `${line.slice(0, TITLE_CHARS_MAX - 1)}…` : line
  return {
    subject: 'A task needs you',
    text: `“${title}” ${ASKS[kind]}, and waits for your answer. You get these e-mails because your account asks for them; it can stop that.`,
    link: `${origin}/dashboard/tasks/${id}?workspace=${workspaceId}`,
  }
}
