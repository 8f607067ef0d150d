import { type Api, openApi } from '../api.ts'
import { useEffect, useMemo, useState } from '../view.ts'
import { browserName, type Names } from './titles.ts'
import type { Workspace } from './use-tasks-of.ts'

const NONE: ReadonlyMap<string, string> = new Map()
const LIMIT = 100

/**
 * What the browsers and webhook endpoints of the workspaces are called, read as the viewer. `browsers` and `deliveries`
 * are other values whenever such actors come or go.
 */
export function useNames(
  workspaces: readonly Workspace[],
  tasks: ReadonlyMap<string, string>,
  browsers: string,
  deliveries: string,
): Names {
  const [named, setNamed] = useState(NONE)
  const [endpoints, setEndpoints] = useState(NONE)
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
  const hasDeliveries = !deliveries.startsWith('0 ')
  useEffect(() => {
    if (!hasDeliveries) return
    let isStale = false
    const read = async () => {
      const lists = await readAll(workspaces, (api) => api.webhooks.list())
      const pairs = lists.flat().map(({ id, url }) => [id, new URL(url).host] as const)
      if (!isStale) setEndpoints(new Map(pairs))
    }
    void read()
    return () => {
      isStale = true
    }
  }, [workspaces, hasDeliveries])
  return useMemo(
    () => ({ tasks, browsers: named, endpoints, workspaces: new Map(workspaces.map(({ id, name }) => [id, name])) }),
    [tasks, named, endpoints, workspaces],
  )
}

/** What cannot be read stays without a name. */
async function readAll<Page>(workspaces: readonly Workspace[], read: (api: Api) => Promise<Page>): Promise<Page[]> {
  const pages = await Promise.allSettled(workspaces.map(({ id }) => read(openApi(id))))
  return pages.flatMap((page) => (page.status === 'fulfilled' ? [page.value] : []))
}
