import * as v from 'valibot'
import { APP, AT } from './example-values.ts'
import { field, ms, uuid } from './fields.ts'
import { listOf } from './list.ts'

/** [A43] Addresses of OAuth, as assistants find them. */

export const MCP_PATH = '/mcp'

/** Where a person lets an assistant in: a page of the dashboard. */
export const CONNECT = '/dashboard/connect'

export const isOAuthPath = (path: string): boolean => /^\/(oauth\/|\.well-known\/oauth-)/.test(path)

/** What tokens of a service at this origin are for: its MCP endpoint. */
export const resourceAt = (origin: string): string => origin + MCP_PATH

/** [A43] An application that was let in. */
export const ConnectedApp = v.object({
  id: field(uuid, 'The id of the connection.', APP),
  name: field(v.string(), 'What the application calls itself.', 'A hosted assistant'),
  created_at: field(ms, 'When it was connected.', AT),
})
export const ConnectedAppList = listOf('connected_apps', ConnectedApp, 'All connected applications.')
