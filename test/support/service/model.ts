import { answering } from '../answering.ts'
import { type Body, type ModelEndpoint, openModelEndpoint, type Plan, type Seen } from '../model-endpoint.ts'

/** What a task of tests asks of its model: so many steps, each with one call, then an answer. */
export interface Job {
  /** Appears in each call and in the answer. */
  readonly name: string
  readonly steps: number
  /** What happens instead of the answer. */
  readonly end?: 'answer' | 'refuse' | 'hang'
  /** How long each reply takes. */
  readonly ms?: number
  /** Each step is a screenshot instead of a script. */
  readonly pictures?: boolean
  /** The first step is this question. */
  readonly asks?: string
}

/** A job as the text of a task. */
export const taskOf = (job: Job): string => `Job ${JSON.stringify(job)}`
export const answerOf = ({ name, steps }: Job): string => `${name}: ${steps} steps`
/** What the n-th call of a job has as its `text`. */
export const callOf = ({ name }: Job, step: number): string => `'${name} step ${step}'`

/** A model that does jobs; which step comes next is only in the conversation, as with any model. */
export function doJob(seen: Seen): Plan {
  const messages = (seen.body.messages as unknown as { role: string; content: unknown }[]) ?? []
  const job = jobIn(JSON.stringify(messages[0]?.content ?? ''))
  if (!job) return { text: 'There is no job.' }
  const { steps, end = 'answer', ms = 0, pictures = false, asks } = job
  const step = messages.filter(({ role }) => role === 'assistant').length + 1
  if (step === 1 && asks !== undefined) {
    return { text: 'I ask.', calls: [{ tool: 'ask_user', input: { question: asks } }], ms }
  }
  if (step <= steps) {
    const call = pictures
      ? { tool: 'computer', input: { action: 'screenshot' } }
      : { tool: 'javascript_tool', input: { action: 'javascript_exec', text: callOf(job, step) } }
    return { text: `Step ${step}.`, calls: [call], ms }
  }
  if (end === 'hang') return 'hang'
  if (end === 'refuse') return { status: 401, message: 'The key is wrong.' }
  const tools = (seen.body.tools as unknown as { name: string }[] | undefined) ?? []
  return { ...answering(answerOf(job), tools), ms }
}

function jobIn(text: string): Job | null {
  const found = /Job (\{.*?\})/.exec(text.replaceAll('\\', ''))?.[1]
  return found === undefined ? null : JSON.parse(found)
}

/** A plan that answers. */
export const answers = (text: string): Plan => answering(text, [{ name: 'finish' }])

/** What the model read as results of its calls in the last request. */
export const lastResults = ({ requests }: ModelEndpoint): string =>
  JSON.stringify((requests.at(-1)?.body.messages as unknown as readonly Body[]) ?? [])

/** A model endpoint that does jobs, and the settings with which the service uses it. */
export async function openJobModel(): Promise<{ endpoint: ModelEndpoint; env: Readonly<Record<string, string>> }> {
  const endpoint = await openModelEndpoint()
  endpoint.plan(doJob)
  return {
    endpoint,
    env: {
      ...{ LLM_PROVIDER: 'anthropic', LLM_BASE_URL: endpoint.baseUrl, LLM_API_KEY: 'test', LLM_MODEL: 'test-model' },
      // So that a job has as many steps as it says, and one for its answer.
      VERIFY: 'off',
    },
  }
}

/** The smallest JPEG, in base64. */
export const JPEG =
  '/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q=='
