import type { Plan, Seen } from '../support/model-endpoint.ts'
import type { Api } from '../support/service/api.ts'
import { doJob } from '../support/service/model.ts'

export type StoreName = 'lmdb' | 'mongodb'

/** What runs when the process is killed, by the name of its job. */
export const RUNNING = ['acting', 'thinking', 'away', 'asking', 'paused', 'queued'] as const
export type RunningJob = (typeof RUNNING)[number]

/** What a client of the earlier version knew at its end. */
export interface Golden {
  /** When its process was killed. */
  readonly at: number
  readonly key: string
  readonly user: { readonly email: string; readonly password: string }
  /** A pairing that nobody has used yet. */
  readonly pairingToken: string
  readonly running: Readonly<Record<RunningJob, { readonly taskId: string; readonly sessionToken: string }>>
  /** What the earlier version answered, by path. */
  readonly answers: Readonly<Record<string, unknown>>
}

/** The model of the earlier version answers all but one job, whose task is killed while it waits for its reply. */
export const modelOf = (seen: Seen): Plan => (JSON.stringify(seen.body).includes('thinking') ? 'hang' : doJob(seen))

export const pathsOf = (endedIds: readonly string[]): string[] => [
  '/v1/webhook_endpoints',
  '/v1/profiles',
  '/v1/recipes',
  '/v1/limits',
  '/v1/usage',
  ...endedIds.flatMap((id) => [
    `/v1/tasks/${id}`,
    `/v1/tasks/${id}/steps`,
    `/v1/tasks/${id}/events`,
    `/v1/tasks/${id}/files`,
  ]),
]

export async function answersOf(api: Api, paths: readonly string[]): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  for (const path of paths) {
    const { status, json } = await api.get(path)
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`)
    answers[path] = json
  }
  return answers
}
