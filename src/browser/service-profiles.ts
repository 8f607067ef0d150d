import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import { BROWSER_PROFILES_PATH, type ProfileValues, TaskProfile } from '../wire/profiles.ts'
import { ToolError } from './act/cdp.ts'
import { FILE_SEND_MS_MAX, PROFILE_SAVE_RETRY_MS_MAX, PROFILE_SAVE_TRIED_MS } from './limits.ts'

interface Service {
  readonly serviceUrl: string
  readonly sessionToken: string
}

/** What the service may accept later: it is stopped, started, or without its store. */
const isPassing = (response: Response | null): boolean =>
  response === null || response.status >= 500 || response.status === 429

/** [Z12] The profiles of this browser's tasks at its service. They travel by HTTP, beside the relay, and are in no frame. */
export function serviceProfiles({ serviceUrl, sessionToken }: Service) {
  const ask = (taskId: string, init: RequestInit = {}): Promise<Response | null> =>
    fetch(new URL(`${BROWSER_PROFILES_PATH}/${taskId}`, serviceUrl), {
      ...init,
      headers: { 'content-type': 'application/octet-stream', authorization: `Bearer ${sessionToken}` },
      signal: AbortSignal.timeout(FILE_SEND_MS_MAX),
    }).catch(() => null)
  return {
    async read(taskId: string): Promise<TaskProfile> {
      const response = await ask(taskId)
      const body: unknown = response?.ok ? await response.json().catch(() => null) : null
      const parsed = v.safeParse(TaskProfile, body)
      if (!parsed.success) throw new ToolError('The profile of this task cannot be read from the service now.')
      return parsed.output
    },

    /**
     * True if the service has saved it. While the service is away, or cannot keep it, that is tried again: a person does
     * not sign in twice because it was restarted.
     */
    async save(taskId: string, values: ProfileValues, signal: AbortSignal): Promise<boolean> {
      const body = JSON.stringify(values)
      const until = performance.now() + PROFILE_SAVE_TRIED_MS
      for (let waitMs = 250; ; waitMs = Math.min(2 * waitMs, PROFILE_SAVE_RETRY_MS_MAX)) {
        const response = await ask(taskId, { method: 'POST', body })
        if (!isPassing(response) || performance.now() > until || signal.aborted) return response?.ok ?? false
        await pause(waitMs, undefined, { signal }).catch(() => {})
      }
    },
  }
}
