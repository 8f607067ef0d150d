import * as assert from 'uvu/assert'
import { eventually } from '../eventually.ts'
import type { Api, TaskJson } from './api.ts'
import { type Job, taskOf } from './model.ts'

/** A job of tests has ended by then. */
export const TASK_MS_MAX = 20_000

/** Starts a job in a session and gives the id of its task. */
export async function started(api: Api, sessionId: string, job: Job, more: object = {}): Promise<string> {
  const { status, json } = await api.start(sessionId, taskOf(job), more)
  assert.is(status, 201, JSON.stringify(json))
  return json.id
}

/** The task once it has ended. While its owner cannot be reached (503, `Retry-After`) it is asked for again, as clients do. */
export async function finished(api: Api, id: string, ms = TASK_MS_MAX): Promise<TaskJson> {
  const asked = async () => {
    const answer = await api.get(`/v1/tasks/${id}`)
    assert.ok([200, 503].includes(answer.status), `task ${id}: ${answer.status} ${answer.raw}`)
    return answer.status === 200 && answer.json.status !== 'running'
  }
  await eventually(asked, `an end of task ${id}`, ms)
  return api.task(id)
}
