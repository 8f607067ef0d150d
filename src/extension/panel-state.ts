import type { RelayInput } from '../wire/relay-panel.ts'

/** What the side panel shows. The worker keeps it in `chrome.storage.session`, the panel reads it there. */

export interface PanelStep {
  /** In words: `Opens shop.example`. */
  readonly words: string
  /** `said`: words of the user. */
  readonly state: 'doing' | 'done' | 'failed' | 'said'
  /** The key of a small JPEG in the same storage. */
  readonly thumbnail: string | null
}

export interface PanelTask {
  readonly taskId: string
  readonly task: string
  readonly status: 'running' | 'complete' | 'error'
  /** The user has taken over in this browser. */
  readonly paused: boolean
  /** A client has paused it. */
  readonly pausedElsewhere: boolean
  /** [I9] What it asks the user. */
  readonly input: RelayInput | null
  readonly answer: string | null
  readonly steps: readonly PanelStep[]
  readonly startedAt: number
  readonly endedAt: number | null
}

export type PanelConnection = 'unpaired' | 'connecting' | 'connected' | 'waiting' | 'stopped'

export interface PanelState {
  readonly connection: PanelConnection
  /** What the user should know beside it, such as why the pairing ended. */
  readonly notice: string | null
  readonly origin: string | null
  readonly workspace: string | null
  /** Newest first. */
  readonly tasks: readonly PanelTask[]
}

export const PANEL = 'panel'
export const NOTHING: PanelState = { connection: 'unpaired', notice: null, origin: null, workspace: null, tasks: [] }

export async function readPanel(): Promise<PanelState> {
  const { [PANEL]: kept } = await chrome.storage.session.get(PANEL)
  return (kept as PanelState | undefined) ?? NOTHING
}

/** Whether a panel is open, beside a page or as a tab: what only it shows need not be made otherwise. */
export async function isPanelOpen(): Promise<boolean> {
  const contexts = await chrome.runtime.getContexts({ documentUrls: [chrome.runtime.getURL('panel.html')] })
  return contexts.length > 0
}
