import * as v from 'valibot'
import { BROWSER_PROFILES_PATH, type ProfileValues, TaskProfile } from '../wire/profiles.ts'
import { ToolError } from './act/cdp.ts'
import { FILE_SEND_MS_MAX } from './limits.ts'

interface Service {
  readonly serviceUrl: string
  readonly sessionToken: string
}

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

    /** True if the service has saved it. */
    async save(taskId: string, values: ProfileValues): Promise<boolean> {
      const response = await ask(taskId, { method: 'POST', body: JSON.stringify(values) })
      return response?.ok ?? false
    },
  }
}
