import { Webhook as Verifier } from 'standardwebhooks'
import type { Api, TaskJson } from '../support/service/api.ts'
import { receiver } from '../webhooks/receiver.ts'

const LOOK_MS = 50
/** A refused delivery comes again after 5 to 6 s; one whose process was killed at once. */
const ARRIVES_MS_MAX = 30_000
/** Of so many deliveries one is refused at first. */
const REFUSED_EVERY = 5

/** What reached the endpoint of a workspace. */
export interface Hook {
  /** The bodies that were accepted, by the id of the message. */
  readonly accepted: Map<string, string>
  readonly wrong: string[]
}

/** Gives the workspace an endpoint that is told of endings, and refuses some of them at first. */
export async function openHook(api: Api): Promise<Hook> {
  const hook: Hook = { accepted: new Map(), wrong: [] }
  const seen = new Set<string>()
  let verifier: Verifier | null = null
  const { seen: requests, port } = await receiver((_, response) => {
    const { headers, body } = requests.at(-1) as (typeof requests)[number]
    const id = String(headers['webhook-id'])
    const isNew = !seen.has(id)
    seen.add(id)
    if (isNew && seen.size % REFUSED_EVERY === 0) return response.writeHead(503).end()
    try {
      verifier?.verify(body, headers as Record<string, string>)
    } catch (error) {
      hook.wrong.push(`signature: ${id} ${String(error)}`)
    }
    const before = hook.accepted.get(id)
    if (before !== undefined && before !== body) hook.wrong.push(`changed: ${before} is now ${body}`)
    hook.accepted.set(id, body)
    response.end()
  })
  const { status, json } = await api.post('/v1/webhook_endpoints', {
    url: `http://127.0.0.1:${port}/`,
    types: ['task.ended'],
  })
  if (status !== 201) throw new Error(`endpoint: ${status} ${JSON.stringify(json)}`)
  verifier = new Verifier(json.secret)
  return hook
}

/** [W12] Every task that has ended was told, once or more often with one id, and as it is. */
export async function checkHook({ accepted, wrong }: Hook, tasks: readonly TaskJson[]): Promise<string[]> {
  const told = () => [...accepted.values()].map((body) => JSON.parse(body).data)
  const until = performance.now() + ARRIVES_MS_MAX
  const missing = () => tasks.filter(({ id }) => !told().some((data) => data.task_id === id))
  while (missing().length > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  const otherwise = told().filter(({ task_id, status, answer }) => {
    const task = tasks.find(({ id }) => id === task_id)
    return !task || task.status !== status || task.answer !== answer
  })
  return [
    ...wrong,
    ...missing().map(({ id }) => `webhook: the end of ${id} never came`),
    ...otherwise.map((data) => `webhook: ${JSON.stringify(data)} is not what the task says`),
    ...(accepted.size === new Set(told().map(({ task_id }) => task_id)).size
      ? []
      : ['webhook: one ending has two ids']),
  ]
}
