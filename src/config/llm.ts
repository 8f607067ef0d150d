import type { Effort } from '../../machines/records.ts'
import { ConfigError } from './error.ts'

export const LLM_PROVIDERS = ['anthropic', 'openai', 'google', 'openai-compatible', 'scripted'] as const
export type LlmProvider = (typeof LLM_PROVIDERS)[number]

/** Which model is asked, and how it is reached. */
export interface ModelChoice {
  readonly provider: LlmProvider
  readonly model: string | null
  readonly baseUrl: string | null
  readonly apiKey: string | null
}

export interface LlmConfig extends ModelChoice {
  readonly script: string | null
  /** Other models of the same provider that a task may ask for. */
  readonly choices: readonly string[]
  /** The model of the same provider that reads beside conversations; `null`: the task's own. */
  readonly small: string | null
  /** Of tasks that have none of their own. */
  readonly effort: Effort | null
  /** Asked when the first one is down. */
  readonly fallback: ModelChoice | null
  /** Prices over those of the built-in table: JSON, or the path of a file. */
  readonly prices: string | null
}

/** The settings that this reads, as they were given. */
export type LlmSettings = Partial<
  Record<
    | 'LLM_MODEL'
    | 'LLM_MODELS'
    | 'LLM_SMALL_MODEL'
    | 'LLM_BASE_URL'
    | 'LLM_API_KEY'
    | 'LLM_SCRIPT'
    | 'LLM_FALLBACK'
    | 'LLM_FALLBACK_BASE_URL'
    | 'LLM_FALLBACK_API_KEY'
    | 'LLM_PRICES'
    | (typeof KEY_OF)[keyof typeof KEY_OF],
    string | undefined
  >
> & { readonly LLM_PROVIDER?: LlmProvider | undefined; readonly LLM_EFFORT?: Effort | undefined }

const KEY_OF = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
} as const
const KEYED = ['anthropic', 'openai', 'google'] as const

/** @throws ConfigError when a provider lacks what it needs. */
export function llmOf(set: LlmSettings): LlmConfig {
  const provider = set.LLM_PROVIDER ?? KEYED.find((name) => set[KEY_OF[name]]) ?? 'scripted'
  if (!set.LLM_PROVIDER && provider === 'scripted' && set.LLM_API_KEY) {
    throw new ConfigError(`LLM_API_KEY is set, but not LLM_PROVIDER: expected one of ${LLM_PROVIDERS.join(', ')}`)
  }
  const { LLM_MODEL, LLM_BASE_URL, LLM_API_KEY, LLM_SCRIPT: script = null, LLM_PRICES: prices = null } = set
  const given = { model: LLM_MODEL, baseUrl: LLM_BASE_URL, apiKey: LLM_API_KEY }
  const names = { setting: 'LLM_PROVIDER', model: 'LLM_MODEL', baseUrl: 'LLM_BASE_URL', apiKey: 'LLM_API_KEY' }
  const choices = [...new Set(set.LLM_MODELS?.split(',').map((id) => id.trim()))].filter((id) => id !== '')
  const { LLM_SMALL_MODEL: small = null, LLM_EFFORT: effort = null } = set
  return {
    ...choiceOf(set, provider, given, names),
    ...{ script, choices, small, effort, fallback: fallbackOf(set), prices },
  }
}

/** `LLM_FALLBACK` is `<provider>` or `<provider>:<model>`; its key is the provider's own unless one is given. */
function fallbackOf(set: LlmSettings): ModelChoice | null {
  if (!set.LLM_FALLBACK) return null
  const [name = '', ...rest] = set.LLM_FALLBACK.split(':')
  const provider = LLM_PROVIDERS.find((known) => known === name && known !== 'scripted')
  if (!provider) {
    const accepted = LLM_PROVIDERS.filter((known) => known !== 'scripted').join(', ')
    throw new ConfigError(
      `LLM_FALLBACK ${JSON.stringify(set.LLM_FALLBACK)} is not valid: expected <provider> or <provider>:<model>, the provider one of ${accepted}`,
    )
  }
  const given = {
    model: rest.join(':') || undefined,
    baseUrl: set.LLM_FALLBACK_BASE_URL,
    apiKey: set.LLM_FALLBACK_API_KEY,
  }
  const names = {
    setting: 'LLM_FALLBACK',
    model: 'a model after the colon',
    baseUrl: 'LLM_FALLBACK_BASE_URL',
    apiKey: 'LLM_FALLBACK_API_KEY',
  }
  return choiceOf(set, provider, given, names)
}

function choiceOf(
  set: LlmSettings,
  provider: LlmProvider,
  given: Partial<Record<'model' | 'baseUrl' | 'apiKey', string | undefined>>,
  names: Record<'setting' | 'model' | 'baseUrl' | 'apiKey', string>,
): ModelChoice {
  const keyed = KEYED.find((name) => name === provider)
  const apiKey = given.apiKey ?? (keyed ? set[KEY_OF[keyed]] : undefined)
  if (keyed && !apiKey) {
    throw new ConfigError(`${names.setting} is ${provider}, which needs a key: set ${KEY_OF[keyed]} or ${names.apiKey}`)
  }
  if (provider === 'openai-compatible') {
    for (const field of ['baseUrl', 'model'] as const) {
      if (!given[field]) throw new ConfigError(`${names.setting} is openai-compatible, which needs ${names[field]}`)
    }
  }
  return { provider, model: given.model ?? null, baseUrl: given.baseUrl ?? null, apiKey: apiKey ?? null }
}
