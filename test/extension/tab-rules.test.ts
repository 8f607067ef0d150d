import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DebuggerHost } from '../../src/extension/tabs/debugger-host.ts'
import { TabNotes } from '../../src/extension/tabs/tab-notes.ts'
import { storageArea } from './storage-area.ts'

type Rule = chrome.declarativeNetRequest.Rule

/** The browser's rules: like Chrome, it takes no second rule with the same id. */
let rules: Rule[] = []
const soon = () => new Promise((resolve) => setImmediate(resolve))
const declarativeNetRequest = {
  async getSessionRules() {
    await soon()
    return [...rules]
  },
  async updateSessionRules({ removeRuleIds = [], addRules = [] }: { removeRuleIds?: number[]; addRules?: Rule[] }) {
    await soon()
    const left = rules.filter(({ id }) => !removeRuleIds.includes(id))
    if (addRules.some(({ id }) => left.some((rule) => rule.id === id)))
      throw new Error('Rule does not have a unique ID.')
    rules = [...left, ...addRules]
  },
}
const event = { addListener() {} }
Object.assign(globalThis, {
  chrome: {
    declarativeNetRequest,
    storage: { local: storageArea() },
    debugger: { onEvent: event, onDetach: event },
    windows: { onFocusChanged: event, getAll: async () => [], getLastFocused: async () => ({ id: 1 }) },
    tabs: { onRemoved: event, onCreated: event, onActivated: event, query: async () => [], remove: async () => {} },
  },
})

const test = suite('rules of tabs')

test('[F3] tasks that end at the same time leave the rules of the one that goes on', async () => {
  const notes = new TabNotes(storageArea(), storageArea(), async ({ tabId }) => tabId)
  for (const [n, task] of ['a', 'b', 'c'].entries()) {
    await notes.add(n + 1, task)
    await notes.confine(task, [`${task}.example`])
  }
  const host = new DebuggerHost({ notes, navigated() {}, cancelled() {} })
  await Promise.all([host.end('a', false), host.end('b', false)])
  const tabIds = [...new Set(rules.flatMap(({ condition }) => condition.tabIds ?? []))].filter((id) => id >= 0)
  assert.equal(tabIds, [3])
})

test('[R60] a tab that its user takes over while it is attached to is not held', async () => {
  const area = storageArea()
  const notes = new TabNotes(area, storageArea(), async ({ tabId }) => tabId)
  const attached = new Set<number>()
  Object.assign(chrome.debugger, {
    async attach({ tabId }: { tabId: number }) {
      await soon()
      attached.add(tabId)
      // Just now its user presses "Take over".
      await area.set({ 'held:a': 'user' })
      await host.release('a')
      attached.add(tabId)
    },
    detach: async ({ tabId }: { tabId: number }) => void attached.delete(tabId),
    sendCommand: async () => ({}),
  })
  Object.assign(chrome.tabs, { create: async () => ({ id: 7, windowId: 1 }) })
  const host = new DebuggerHost({ notes, navigated() {}, cancelled() {} })
  await notes.setCanRefuse(true)
  const failed = await host.open('a').catch((error: unknown) => String(error))
  assert.match(String(failed), 'taken over')
  assert.equal([...attached], [])
})

test.run()
