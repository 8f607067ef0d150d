import { randomBytes } from 'node:crypto'
import { type Origins, openSite, type Serve, type Site } from '../harness/site.ts'
import { pathOf, serveOf } from '../harness/stage.ts'
import { openEndpoint, textsOf, type WireRequest } from './endpoint.ts'
import { SolverModel } from './model.ts'
import { openService, type Service } from './service.ts'
import type { AgentTask, Place } from './tasks.ts'

export interface AgentOutcome {
  readonly name: string
  readonly ok: boolean
  readonly why: string
  readonly modelCalls: number
  readonly inputTokens: number
  readonly toolCalls: number
  readonly looks: number
  readonly ms: number
}

/** Runs each task through a whole service of the version in `root`, with solver models behind a local endpoint. */
export async function runAgent(root: string, tasks: readonly AgentTask[], each: (outcome: AgentOutcome) => void) {
  const models = new Map<string, SolverModel>()
  const endpoint = await openEndpoint(async (request) => {
    const model = models.get(tagOf(request))
    return model ? model.next(request) : { text: 'There is no such task.', calls: [], stop: null }
  })
  const llm = { LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'none', LLM_MODEL: 'solver', LLM_BASE_URL: endpoint.baseUrl }
  const [service, site] = await Promise.all([openService(root, llm), openSite()])
  const outcomes: AgentOutcome[] = []
  try {
    for (const task of tasks) {
      const outcome = await runOne(service, site, task, models)
      outcomes.push(outcome)
      each(outcome)
    }
  } finally {
    await Promise.all([service.close(), site.close(), endpoint.close()])
  }
  return outcomes
}

async function runOne(service: Service, site: Site, task: AgentTask, models: Map<string, SolverModel>) {
  const tag = randomBytes(4).toString('hex')
  const place = await openPlace(site, tag, task)
  const model = new SolverModel()
  models.set(tag, model)
  const playing = model.play(async (own) => {
    await own.open(place.url)
    return task.solve(own)
  })
  const started = performance.now()
  const ended = await service.run(`${task.task}\n(${tag})`, place.url)
  const ms = performance.now() - started
  model.stop()
  await playing
  models.delete(tag)
  const why = wrongWith(task, ended, place.told)
  await place.close()
  const { modelCalls, inputTokens, toolCalls, looks } = model
  return { name: task.name, ok: why === '', why, modelCalls, inputTokens, toolCalls, looks, ms }
}

/** The task's own site, or its pages under a name of their own. */
export async function openPlace(site: Site, tag: string, { pages }: AgentTask): Promise<Place> {
  if (typeof pages === 'function') return pages()
  const told: string[] = []
  const { own } = site.add(tag, recording(pages, told))
  return { url: own, told, close: async () => site.remove(tag) }
}

/** What is wrong with how a task ended; nothing when all is as it should be. */
export function wrongWith(
  { done, answer }: Pick<AgentTask, 'done' | 'answer'>,
  ended: { readonly status: string; readonly answer: string | null },
  told: readonly string[],
): string {
  if (ended.status !== 'complete') return `it ended ${ended.status}: ${ended.answer}`
  const missing = done.find((pattern) => !told.some((query) => pattern.test(query)))
  if (missing) return `the site was never told ${missing}: ${told.join(' ; ')} (answer: ${ended.answer})`
  return answer.test(ended.answer ?? '') ? '' : `the answer does not say ${answer}: ${ended.answer}`
}

/** Serves a task's pages, and writes down what they tell by `/done?…`. */
export function recording(pages: Readonly<Record<string, string>>, told: string[]): Serve {
  const serve = serveOf({ paths: pages })
  return (request, response, origins: Origins) => {
    const path = pathOf(request)
    const query = decodeURIComponent((request.url ?? '').split('?').slice(1).join('?'))
    if (path === '/done') told.push(query)
    if (path === '/done') response.end()
    else if (path === '/slow') setTimeout(() => response.end(), Number(query))
    else serve(request, response, origins)
  }
}

/** Which task a request belongs to: the first message carries it. */
const tagOf = ({ messages }: WireRequest): string => /\(([0-9a-f]{8})\)/.exec(textsOf(messages[0]?.content))?.[1] ?? ''
