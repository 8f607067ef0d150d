import type { RelayInput } from '../wire/relay-panel.ts'

/** What the side panel shows. The worker keeps it in `chrome.storage.session`, the panel reads it there. */

export interface PanelStep {
  /** In words: `Opens shop.example`. */
  readonly words: string
  readonly state: 'doing' | 'done' | 'failed'
  /** The key of a small JPEG in the same storage. */
  readonly thumbnail: string | null
}

export interface PanelTask {
  readonly taskId: string
  readonly task: string
  readonly status: 'running' | 'complete' | 'error'
  /** The user has taken over. */
  readonly paused: boolean
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

const shortened = (text: unknown): string => {
  const words = String(text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  return words.length > 60 ? `${words.slice(0, 59)}…` : words
}

/** A tool call as a person would say it. */
export function wordsFor(tool: string | null, input: unknown): string {
  const given = (input ?? {}) as Record<string, unknown>
  switch (tool) {
    case 'navigate':
      if (given.url === 'back' || given.url === 'forward') return `Goes ${given.url}`
      return `Opens ${shortened(given.url)}`
    case 'read_page':
      return 'Reads the page'
    case 'get_page_text':
      return 'Reads the text of the page'
    case 'find':
      return `Looks for ${shortened(given.query)}`
    case 'form_input':
      return `Fills in ${shortened(given.value)}`
    case 'javascript_tool':
      return 'Runs a script in the page'
    case 'computer':
      return ACTIONS[String(given.action)]?.(given) ?? 'Acts on the page'
    default:
      return shortened(tool) || 'Thinks'
  }
}

const ACTIONS: Readonly<Record<string, (given: Record<string, unknown>) => string>> = {
  left_click: () => 'Clicks',
  right_click: () => 'Right-clicks',
  double_click: () => 'Double-clicks',
  triple_click: () => 'Triple-clicks',
  hover: () => 'Hovers',
  left_click_drag: () => 'Drags',
  type: ({ text }) => `Types ${shortened(text)}`,
  key: ({ text }) => `Presses ${shortened(text)}`,
  scroll: () => 'Scrolls',
  scroll_to: () => 'Scrolls',
  wait: () => 'Waits',
  screenshot: () => 'Takes a screenshot',
  zoom: () => 'Zooms in',
}
