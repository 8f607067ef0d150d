import { SERVICE_HEADER } from '../../wire/service-header.ts'
import { readServiceReach } from '../settings.ts'

type ResourceType = `${chrome.declarativeNetRequest.ResourceType}`

/** Rules are numbered from 1; each call replaces all of them. */
const RULES_MAX = 20

const DOCUMENTS: ResourceType[] = ['main_frame', 'sub_frame']
const EVERYTHING: ResourceType[] = [
  ...DOCUMENTS,
  'stylesheet',
  'script',
  'image',
  'font',
  'object',
  'xmlhttprequest',
  'ping',
  'csp_report',
  'media',
  'websocket',
  'other',
]

/**
 * [S13] Has the browser itself refuse what these tabs request of the service that this browser is paired with: pages,
 * frames, redirects and scripts, before the request leaves. A document is also refused when its response says that it
 * comes from a service, whatever name it was reached by. The tabs replace those of the last call.
 */
export async function blockService(tabIds: readonly number[]): Promise<void> {
  const { expressions } = await readServiceReach()
  const conditions: chrome.declarativeNetRequest.RuleCondition[] = [
    { resourceTypes: DOCUMENTS, responseHeaders: [{ header: SERVICE_HEADER }] },
    ...expressions.map((regexFilter) => ({ resourceTypes: EVERYTHING, regexFilter })),
  ]
  const rules = conditions.map(
    (condition, at): chrome.declarativeNetRequest.Rule => ({
      id: at + 1,
      action: { type: 'block' },
      condition: { ...condition, tabIds: [...tabIds] },
    }),
  )
  await chrome.declarativeNetRequest.updateSessionRules({
    removeRuleIds: Array.from({ length: RULES_MAX }, (_, at) => at + 1),
    addRules: tabIds.length === 0 ? [] : rules,
  })
}
