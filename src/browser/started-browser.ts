import type { Reach } from './reach.ts'
import type { TabHost } from './tabs.ts'

export interface StartOptions {
  /** Shows the window. */
  readonly headed: boolean
  /** Keeps the profile (cookies, sign-ins) here; a fresh one that is thrown away when left out. */
  readonly userDataDir?: string | undefined
  /** Use this browser and no other. */
  readonly executablePath?: string | undefined
}

/** A browser that was started for tasks. */
export interface StartedBrowser extends TabHost {
  /** What was started, for a person: `Chrome`, or a path. */
  readonly name: string
  /** Whether it runs without a sandbox of its own, which no browser has as root. */
  readonly isUnprotected: boolean
  /** From here on no tab, frame or redirect of this browser reaches an address of `reach`. */
  guard(reach: Reach): Promise<void>
  /** From here on the task's tabs reach these domains alone. Before its first tab is opened. */
  confine(taskId: string, domains: readonly string[]): Promise<void>
  /** The task has ended. */
  ended(taskId: string): Promise<void>
  close(): Promise<void>
  /** Resolves when the browser has ended, by `close` or by itself. */
  readonly closed: Promise<void>
}

/** No browser, or none that starts. The message is one line that says what to do. */
export class NoBrowser extends Error {
  override readonly name = 'NoBrowser'
}
