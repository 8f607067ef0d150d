import { expressionsOf, hostsOf } from '../../../machines/domains.ts'
import { SERVICE_HEADER } from '../../wire/service-header.ts'
import { readServiceReach } from '../settings.ts'

type ResourceType = `${chrome.declarativeNetRequest.ResourceType}`
type Condition = chrome.declarativeNetRequest.RuleCondition

/** Of several rules that match, the one with the higher number counts. */
const PRIORITY = { newTab: 1, newTabAllowed: 2, confined: 3, confinedAllowed: 4, service: 5, gated: 5 } as const
/** What belongs to no tab: service workers. */
const NO_TAB = -1

const WRITES: `${chrome.declarativeNetRequest.RequestMethod}`[] = ['post', 'put', 'patch', 'delete', 'other']

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
  'webtransport',
  'other',
]

/** The tabs of a task that is confined to domains. */
export interface ConfinedTabs {
  readonly tabIds: readonly number[]
  readonly domains: readonly string[]
}

type Unnumbered = Omit<chrome.declarativeNetRequest.Rule, 'id'>
const rule = (type: 'block' | 'allow', priority: number, condition: Condition): Unnumbered => ({
  action: { type },
  priority,
  condition,
})

/**
 * Sets the browser's own rules for requests of tasks' tabs; they replace those of the last call.
 * [S13] Requests to the service that this browser is paired with are blocked: pages, frames, redirects and scripts. So is
 * a document whose response header says that it comes from a service, under any host name.
 * [F3] For a confined task, all requests outside of its domains are blocked, including those of its pages' service workers
 * and the first page of a new window, whose tab is not known yet.
 * [I14] What the debugger cannot hold of a task with approvals is blocked: the first request of a window that a page of
 * these hosts opens, since its tab is `beginning` and not attached to yet, and what their shared and service workers write.
 */
export async function blockRequests(
  tabIds: readonly number[],
  confined: readonly ConfinedTabs[],
  gatedHosts: readonly string[],
  beginning: ReadonlySet<number>,
): Promise<void> {
  const earlier = await chrome.declarativeNetRequest.getSessionRules()
  const rules =
    tabIds.length === 0
      ? []
      : [
          ...(await serviceRules([...tabIds])),
          ...(await confiningRules(confined)),
          ...(await gatingRules([...gatedHosts], beginning)),
        ]
  await chrome.declarativeNetRequest.updateSessionRules({
    removeRuleIds: earlier.map(({ id }) => id),
    addRules: rules.map((each, at) => ({ ...each, id: at + 1 })),
  })
}

async function serviceRules(tabIds: number[]): Promise<Unnumbered[]> {
  const { expressions } = await readServiceReach()
  return [
    rule('block', PRIORITY.service, {
      tabIds,
      resourceTypes: DOCUMENTS,
      responseHeaders: [{ header: SERVICE_HEADER }],
    }),
    ...expressions.map((regexFilter) =>
      rule('block', PRIORITY.service, { tabIds, resourceTypes: EVERYTHING, regexFilter }),
    ),
  ]
}

const tabsNow = async (): Promise<number[]> => (await chrome.tabs.query({})).flatMap(({ id }) => id ?? [])

async function gatingRules(initiatorDomains: string[], beginning: ReadonlySet<number>): Promise<Unnumbered[]> {
  if (initiatorDomains.length === 0) return []
  const excludedTabIds = (await tabsNow()).filter((id) => !beginning.has(id))
  const isNew = { excludedTabIds, initiatorDomains, resourceTypes: ['main_frame'] as ResourceType[] }
  const isWorker = { tabIds: [NO_TAB], initiatorDomains, resourceTypes: EVERYTHING, requestMethods: WRITES }
  return [rule('block', PRIORITY.gated, isNew), rule('block', PRIORITY.gated, isWorker)]
}

async function confiningRules(confined: readonly ConfinedTabs[]): Promise<Unnumbered[]> {
  if (confined.length === 0) return []
  const domains = [...new Set(confined.flatMap((each) => each.domains))]
  const initiatorDomains = hostsOf(domains)
  // A window of a confined page must not get ahead of its rules: new tabs that these sites open are held to them, too.
  const isNew = { excludedTabIds: await tabsNow(), initiatorDomains, resourceTypes: ['main_frame'] as ResourceType[] }
  const isWorker = { tabIds: [NO_TAB], initiatorDomains, resourceTypes: EVERYTHING }
  return [
    ...confined.flatMap(({ tabIds, domains }) => {
      const own = { tabIds: [...tabIds], resourceTypes: EVERYTHING }
      return [
        rule('block', PRIORITY.confined, own),
        ...expressionsOf(domains).map((regexFilter) =>
          rule('allow', PRIORITY.confinedAllowed, { ...own, regexFilter }),
        ),
      ]
    }),
    ...[isNew, isWorker].flatMap((condition) => [
      rule('block', PRIORITY.newTab, condition),
      ...expressionsOf(domains).map((regexFilter) =>
        rule('allow', PRIORITY.newTabAllowed, { ...condition, regexFilter }),
      ),
    ]),
  ]
}
