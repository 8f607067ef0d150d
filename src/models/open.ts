import type { Effort, Log, Model } from '../../actors/runtime/ports.ts'
import { fallbackModel } from './fallback.ts'
import { type ModelTable, modelTable } from './prices.ts'
import type { Connection, Provider } from './provider.ts'
import type { Script } from './script/script.ts'
import { openScripted } from './scripted.ts'

export { ScriptError } from './script/script.ts'

/** Loaded with the first request: a provider's client takes its time, and only one is used. */
const PROVIDERS = {
  anthropic: { load: async () => (await import('./anthropic.ts')).anthropicProvider, model: 'claude-sonnet-5-5' },
  openai: { load: async () => (await import('./openai.ts')).openaiProvider, model: 'gpt-6-sol' },
  google: { load: async () => (await import('./google.ts')).googleProvider, model: 'gemini-3.5-flash' },
  'openai-compatible': {
    load: async () => (await import('./openai-compatible.ts')).openaiCompatibleProvider,
    model: 'default',
  },
} as const satisfies Record<string, { load: () => Promise<(connection: Connection) => Provider>; model: string }>

export interface ModelSettings {
  readonly provider: keyof typeof PROVIDERS | 'scripted'
  /** `null`: the provider's default. */
  readonly model: string | null
  /** `null`: the provider's own. */
  readonly baseUrl: string | null
  readonly apiKey: string | null
  /** For `scripted`: a script, or the path of a JSON file that holds one. */
  readonly script?: string | Script | null
  /** `LLM_MODELS`: other models of this provider that a task may ask for. */
  readonly choices?: readonly string[]
  /** [L45] `LLM_SMALL_MODEL`: the model of this provider that reads beside conversations. */
  readonly small?: string | null
  /** [L46] `LLM_EFFORT`: of tasks that have none of their own. */
  readonly effort?: Effort | null
  /** `LLM_FALLBACK`: asked when the first is down. */
  readonly fallback?: ModelSettings | null
}

export interface ModelParts {
  readonly fetch?: typeof globalThis.fetch
  readonly table?: ModelTable
}

/**
 * [L16] Opens the configured language model. Nothing is sent before the first `ask`.
 * @throws ScriptError for a script that cannot be read, naming the file and the place in it.
 */
export function openModel(settings: ModelSettings, log: Log, parts: ModelParts = {}): Model {
  const { table = modelTable() } = parts
  const open = (model: string | null): Model => {
    const first = openOne({ ...settings, model }, log, { ...parts, table })
    const { fallback, effort = null } = settings
    const whole = fallback ? fallbackModel(first, openOne({ ...fallback, effort }, log, parts), log) : first
    return Object.assign(whole, { costUsd: table.costUsd })
  }
  const choices = new Map(settings.choices?.map((id) => [id, open(id)]))
  // Assigned, not copied: what was learnt of an endpoint is read from its model.
  return Object.assign(open(settings.model), { choices, ...(settings.small ? { small: open(settings.small) } : {}) })
}

function openOne(settings: ModelSettings, log: Log, { fetch, table = modelTable() }: ModelParts): Model {
  const { provider } = settings
  if (provider === 'scripted') return openScripted(settings.script ?? null, log)
  const { load, model } = PROVIDERS[provider]
  const id = settings.model ?? model
  const contextTokens = table.contextTokens(id)
  const connect = async (): Promise<Model> => {
    const [open, { openFetch }, { providerModel }] = await Promise.all([
      load(),
      import('./fetch.ts'),
      import('./provider.ts'),
    ])
    const { baseUrl, apiKey } = settings
    const connection: Connection = { model: id, baseUrl, apiKey, contextTokens, fetch: fetch ?? openFetch() }
    return providerModel(provider, open, connection, log)
  }
  let connecting: Promise<Model> | null = null
  let connected: Model | null = null
  return {
    id,
    provider,
    get contextTokens() {
      return connected?.contextTokens ?? contextTokens
    },
    lessons: () => connected?.lessons?.() ?? [],
    async ask(request, signal, hear) {
      connecting ??= connect()
      connected ??= await connecting
      const effort = request.effort ?? settings.effort ?? null
      return connected.ask({ ...request, effort }, signal, hear)
    },
  }
}
