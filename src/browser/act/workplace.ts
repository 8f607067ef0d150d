import type { TaskFile } from '../files.ts'
import type { Note, Page } from './page.ts'

/** A tab of a task, by its number within the task. */
export interface NumberedTab {
  readonly number: number
  readonly page: Page
}

/** An acting call under way. */
export interface Action {
  /** What it opens stays behind the present tab: a click with ctrl. */
  readonly background: boolean
  /** It is done to go on, as a click or a key is: a window may be what it was for. */
  readonly opensWindows: boolean
}

/** Requests that a call has caused, and that wait for their user's approval. */
export interface PendingHolds {
  readonly isPending: boolean
  /** Resolves as soon as one does. */
  whenPending(signal: AbortSignal): Promise<void>
}

/** Where the tools of one task work: its tabs and its files. */
export interface Workplace {
  /** The tab that the tools work in. */
  readonly current: NumberedTab
  readonly tabs: readonly NumberedTab[]
  /** [I5] `null`: nothing of this task is held. */
  readonly holds: PendingHolds | null
  /** Opens an empty tab in the background and makes it the present one. */
  openTab(): Promise<void>
  /** Both throw a ToolError when there is no such tab. */
  switchTab(number: number): void
  closeTab(number: number): Promise<void>
  /** An action begins, which ends with the call. */
  acting(action: Action): void
  files(): Promise<readonly TaskFile[]>
  /** Resolves when the windows are there that the action has asked for, or do not come. */
  windowsOpened(signal: AbortSignal): Promise<void>
  /** Resolves when what was begun to be downloaded is kept, or takes too long. */
  downloadsEnded(signal: AbortSignal): Promise<void>
  /** What happened beside the call. */
  takeNotes(): Note[]
}
