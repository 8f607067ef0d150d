import { type Api, openApi } from '../api.ts'
import { useEffect, useMemo, useState } from '../view.ts'
import { browserName, type DeliveryEvent, type Names } from './titles.ts'
import type { Workspace } from './use-tasks-of.ts'

const NONE: ReadonlyMap<string, string> = new Map()
const LIMIT = 100
/** What comes within this time is one reading. */
const READ_AFTER_MS = 400

/**
 * What the browsers and webhook endpoints of the workspaces are called, and what is delivered, read as the viewer.
 * `browsers` and `deliveries` are other values whenever such actors come or go.
 */
export function useNames(
  workspaces: readonly Workspace[],
  tasks: ReadonlyMap<string, string>,
  browsers: string,
  deliveries: string,
): Names {
  const [named, setNamed] = useState(NONE)
  const [endpoints, setEndpoints] = useState<ReadonlyMap<string, URL>>(new Map())
  const [carried, setCarried] = useState<ReadonlyMap<string, DeliveryEvent>>(new Map())
  useEffect(() => {
    let isStale = false
    const read = async () => {
      const query = { limit: LIMIT }
      const pages = await readAll(workspaces, (api) => api.request('GET /v1/browser-sessions', { query }))
      const pairs = pages.flatMap(({ data }) => data).map(({ id, label }) => [id, label ?? browserName(id)] as const)
      if (!isStale) setNamed(new Map(pairs))
    }
    void read()
    return () => {
      isStale = true
    }
  }, [workspaces, browsers])
  useEffect(() => {
    if (deliveries.startsWith('0 ')) return
    let isStale = false
    const read = async () => {
      const lists = await readAll(workspaces, async (api) => {
        const found = await api.webhooks.list()
        const query = { limit: LIMIT, status: 'pending' as const }
        const pending = found.map(({ id }) =>
          api.request('GET /v1/webhook-endpoints/{id}/deliveries', { path: { id }, query }),
        )
        return { found, pages: await Promise.all(pending) }
      })
      if (isStale) return
      setEndpoints(new Map(lists.flatMap(({ found }) => found.map(({ id, url }) => [id, new URL(url)] as const))))
      const events = lists
        .flatMap(({ pages }) => pages.flatMap(({ data }) => data))
        .map(({ id, type, task_id: taskId }) => [id, { type, taskId }] as const)
      // One that was delivered meanwhile keeps its name.
      setCarried((before) => new Map([...[...before].slice(-LIMIT), ...events]))
    }
    const timer = setTimeout(() => void read(), READ_AFTER_MS)
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [workspaces, deliveries])
  return useMemo(
    () => ({
      ...{ tasks, browsers: named, endpoints, deliveries: carried },
      workspaces: new Map(workspaces.map(({ id, name }) => [id, name])),
    }),
    [tasks, named, endpoints, carried, workspaces],
  )
}

/** What cannot be read stays without a name. */
async function readAll<Page>(workspaces: readonly Workspace[], read: (api: Api) => Promise<Page>): Promise<Page[]> {
  const pages = await Promise.allSettled(workspaces.map(({ id }) => read(openApi(id))))
  return pages.flatMap((page) => (page.status === 'fulfilled' ? [page.value] : []))
}
