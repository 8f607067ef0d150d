import type { Pairing } from '../../../wire/sessions.ts'
import { openApi } from '../api.ts'
import { PairingLink } from '../browsers/pair.tsx'
import { nameOf, useBrowsers } from '../browsers/use-browsers.ts'
import { useNow } from '../ui.tsx'
import { useMemo, useState } from '../view.ts'
import { TaskList } from './list.tsx'
import { NeedsYou, NoticeSwitch } from './needs-you.tsx'
import { useNotices } from './notices.ts'
import { Onboarding } from './onboarding.tsx'
import { type Query, queryOfAddress } from './query.ts'
import { StartForm } from './start.tsx'
import { type Offer, TryOut } from './try-out.tsx'
import { useTasks } from './use-tasks.ts'

export interface TasksPageProps {
  readonly workspaceId: string
  /** Whether the reader may do more than look on. */
  readonly mayAct: boolean
  /** Those that a task may ask for, the default first. */
  readonly models: readonly string[]
  /** What can be tried without a browser of one's own. */
  readonly offer: Offer | null
  /** The pool for whose tasks the service starts a browser by itself. */
  readonly ownPool: string | null
}

/** The tasks of a workspace, and what it takes to start one. */
export function TasksPage({ workspaceId, mayAct, models, offer, ownPool }: TasksPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const [query, setQuery] = useState<Query>(queryOfAddress)
  const found = useTasks(api, query)
  const notices = useNotices(workspaceId, found.waiting)
  const { browsers } = useBrowsers(api)
  const [pairing, setPairing] = useState<Pairing | null>(null)
  const [isEmpty, setEmpty] = useState(false)
  const now = useNow(true)
  // Those of a pool are no step of a person's on the way to a first task.
  const own = browsers?.filter(({ pool }) => !pool) ?? []
  const connected = own.filter(({ status }) => status === 'connected')
  const [ready] = connected
  const hasPool = ownPool !== null || (browsers ?? []).some(({ pool, status }) => pool && status === 'connected')
  const isNew = mayAct && browsers !== null && (browsers.length === 0 || isEmpty)
  const tryOut = isEmpty ? <TryOut api={api} workspaceId={workspaceId} offer={offer} /> : null
  return (
    <>
      <NeedsYou {...{ api, workspaceId, mayAct, now }} tasks={found.waiting} done={found.readAgain} />
      {isNew && connected.length === 0 ? (
        <Onboarding api={api} paired={own.length} hasPool={hasPool} shows={setPairing}>
          {tryOut}
        </Onboarding>
      ) : null}
      {pairing === null ? null : <PairingLink api={api} workspaceId={workspaceId} pairing={pairing} />}
      {isNew && ready !== undefined ? <p class="lead">{nameOf(ready)} is ready: your tasks run in it.</p> : null}
      {!mayAct ? null : browsers === null ? (
        <div class="start placeholder" />
      ) : (
        <StartForm api={api} workspaceId={workspaceId} browsers={browsers} models={models} ownPool={ownPool} />
      )}
      {isNew && connected.length > 0 ? tryOut : null}
      <TaskList
        {...{ api, workspaceId, query, found, now, mayAct }}
        browsers={browsers ?? []}
        change={setQuery}
        onEmpty={setEmpty}
      />
      {isEmpty ? null : <NoticeSwitch notices={notices} />}
    </>
  )
}
