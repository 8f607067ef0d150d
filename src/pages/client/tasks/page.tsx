import { type BrowserSession, openApi } from '../api.ts'
import { useNow } from '../ui.tsx'
import { useEffect, useMemo, useState } from '../view.ts'
import { TaskList } from './list.tsx'
import { Onboarding } from './onboarding.tsx'
import { StartForm } from './start.tsx'

export interface TasksPageProps {
  readonly workspaceId: string
  /** Whether the reader may do more than look on. */
  readonly mayAct: boolean
}

/** How often browsers are looked up: often while somebody waits for the first one to come. */
const LOOK_EVERY_MS = { waiting: 1_500, connected: 10_000 }

/** The tasks of a workspace, and what it takes to start one. */
export function TasksPage({ workspaceId, mayAct }: TasksPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const [browsers, setBrowsers] = useState<readonly BrowserSession[] | null>(null)
  const [isEmpty, setEmpty] = useState(false)
  const now = useNow(true)
  const connected = browsers?.filter(({ status }) => status === 'connected') ?? []
  const isWaiting = connected.length === 0

  useEffect(() => {
    const look = async () => {
      if (document.hidden) return
      const found: BrowserSession[] = []
      for await (const browser of api.browsers.list()) found.push(browser)
      setBrowsers(found)
    }
    const quietly = () => void look().catch(() => {})
    quietly()
    const timer = setInterval(quietly, isWaiting ? LOOK_EVERY_MS.waiting : LOOK_EVERY_MS.connected)
    return () => clearInterval(timer)
  }, [api, isWaiting])

  const isNew = mayAct && browsers !== null && (browsers.length === 0 || isEmpty)
  return (
    <>
      {isNew ? <Onboarding workspaceId={workspaceId} paired={browsers.length} connected={connected.length} /> : null}
      {!mayAct ? null : browsers === null ? (
        <div class="start placeholder" />
      ) : (
        <StartForm api={api} workspaceId={workspaceId} browsers={browsers} />
      )}
      <TaskList api={api} workspaceId={workspaceId} browsers={browsers ?? []} now={now} onEmpty={setEmpty} />
    </>
  )
}
