import type { AddressGuard } from '../net/address-guard.ts'
import type { ProfileValues } from '../wire/profiles.ts'
import type { Reach } from './own-service.ts'
import type { ContextNeeds } from './task-contexts.ts'
import type { TabHost } from './task-tabs.ts'

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
  /** Whether it runs without a sandbox of its own: as root, or where the machine allows none. */
  readonly isUnprotected: boolean
  /** Whether it is a headless shell, such as the bundled Chromium. */
  readonly isShell: boolean
  /**
   * From here on no tab, frame or redirect of this browser reaches an address of `reach`. `addresses`: [Z15] the contexts of
   * its tasks send nothing to any other address, by whatever way; `null`: to any.
   */
  guard(reach: Reach, addresses?: AddressGuard | null): Promise<void>
  /** [F3, Z6] The task has a browser context of its own. Before its first tab is opened; later calls change nothing. */
  separate(taskId: string, needs: ContextNeeds): Promise<void>
  /** [Z12] What the context of the task holds; `null`: it has none, or cannot say. Never rejects. */
  valuesOf(taskId: string): Promise<ProfileValues | null>
  /** [Z16] The cookies that the context of the task has now; none where it has no context. Never rejects. */
  cookiesOf(taskId: string): Promise<ProfileValues['cookies']>
  /** The task has ended: its context is closed. */
  ended(taskId: string): Promise<void>
  close(): Promise<void>
  /** Resolves when the browser has ended, by `close` or by itself. */
  readonly closed: Promise<void>
}

/** No browser, or none that starts. The message is one line that says what to do. */
export class NoBrowser extends Error {
  override readonly name = 'NoBrowser'
}
