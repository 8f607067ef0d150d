/** The part of Chrome's extension API that is used here, by what is used of it. */

interface ChromeEvent<Listener> {
  addListener(listener: Listener): void
}

interface ChromeStorageArea {
  get(keys: string | readonly string[] | null): Promise<Record<string, unknown>>
  set(items: Record<string, unknown>): Promise<void>
  remove(keys: string | readonly string[]): Promise<void>
  readonly onChanged: ChromeEvent<(changes: Record<string, { newValue?: unknown; oldValue?: unknown }>) => void>
}

interface ChromeTab {
  readonly id?: number
  readonly windowId: number
  readonly openerTabId?: number
  readonly groupId: number
}

interface ChromeSender {
  readonly id?: string
  readonly origin?: string
  /** The address of the page, without a permission too: of a content script's page. */
  readonly url?: string
  readonly frameId?: number
  readonly tab?: ChromeTab
}

declare const chrome: {
  readonly runtime: {
    readonly id: string
    getURL(path: string): string
    getManifest(): { version: string; name: string }
    sendMessage(message: unknown): Promise<unknown>
    openOptionsPage(): Promise<void>
    readonly onInstalled: ChromeEvent<() => void>
    readonly onStartup: ChromeEvent<() => void>
    readonly onMessage: ChromeEvent<
      // biome-ignore lint/suspicious/noConfusingVoidType: a listener that answers nothing returns nothing
      (message: unknown, sender: ChromeSender, answer: (answer: unknown) => void) => boolean | void
    >
  }
  readonly storage: { readonly local: ChromeStorageArea; readonly session: ChromeStorageArea }
  readonly alarms: {
    create(name: string, info: { periodInMinutes: number }): Promise<void>
    readonly onAlarm: ChromeEvent<(alarm: { name: string }) => void>
  }
  readonly tabs: {
    create(properties: { url: string; active: boolean; windowId?: number }): Promise<ChromeTab>
    get(tabId: number): Promise<ChromeTab>
    remove(tabId: number): Promise<void>
    update(tabId: number, properties: { active: boolean }): Promise<unknown>
    group(options: { tabIds: number | readonly number[]; groupId?: number }): Promise<number>
    sendMessage(tabId: number, message: unknown, options?: { frameId: number }): Promise<unknown>
    readonly onCreated: ChromeEvent<(tab: ChromeTab) => void>
    readonly onRemoved: ChromeEvent<(tabId: number) => void>
  }
  readonly tabGroups: {
    update(groupId: number, properties: { title: string; color: string; collapsed?: boolean }): Promise<unknown>
  }
  readonly windows: {
    create(options: {
      url?: string
      type?: 'normal' | 'popup'
      width?: number
      height?: number
      focused?: boolean
    }): Promise<{ id?: number; tabs?: readonly ChromeTab[] }>
    getLastFocused(options: { windowTypes: readonly string[] }): Promise<{ id?: number }>
    update(windowId: number, properties: { focused: boolean }): Promise<unknown>
    remove(windowId: number): Promise<void>
    readonly onRemoved: ChromeEvent<(windowId: number) => void>
  }
  readonly declarativeNetRequest: {
    updateSessionRules(options: { removeRuleIds: readonly number[]; addRules?: readonly object[] }): Promise<void>
  }
  readonly debugger: {
    attach(target: { tabId: number }, version: string): Promise<void>
    detach(target: { tabId: number }): Promise<void>
    sendCommand(target: { tabId: number; sessionId?: string }, method: string, params?: object): Promise<unknown>
    readonly onEvent: ChromeEvent<
      (source: { tabId?: number; sessionId?: string }, method: string, params?: object) => void
    >
    readonly onDetach: ChromeEvent<(source: { tabId?: number }, reason: string) => void>
  }
  readonly action: {
    setBadgeText(details: { text: string }): Promise<void>
    setBadgeBackgroundColor(details: { color: string }): Promise<void>
    setTitle(details: { title: string }): Promise<void>
  }
  readonly sidePanel?: {
    setPanelBehavior(behavior: { openPanelOnActionClick: boolean }): Promise<void>
  }
}
