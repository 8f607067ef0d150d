import type { Log, Model } from '../../actors/ports.ts'
import { anthropicProvider } from './anthropic.ts'
import { openFetch } from './fetch.ts'
import { googleProvider } from './google.ts'
import { openaiProvider } from './openai.ts'
import { openaiCompatibleProvider } from './openai-compatible.ts'
import { type Connection, type Provider, providerModel } from './provider.ts'
import type { Script } from './script/script.ts'
import { openScripted } from './scripted.ts'

export { ScriptError } from './script/script.ts'

const PROVIDERS = {
  anthropic: { open: anthropicProvider, model: 'claude-sonnet-5-5' },
  openai: { open: openaiProvider, model: 'gpt-6-sol' },
  google: { open: googleProvider, model: 'gemini-3.5-flash' },
  'openai-compatible': { open: openaiCompatibleProvider, model: 'default' },
} as const satisfies Record<string, { open: (connection: Connection) => Provider; model: string }>

export interface ModelSettings {
  readonly provider: keyof typeof PROVIDERS | 'scripted'
  /** `null`: the provider's default. */
  readonly model: string | null
  /** `null`: the provider's own. */
  readonly baseUrl: string | null
  readonly apiKey: string | null
  /** For `scripted`: a script, or the path of a JSON file that holds one. */
  readonly script?: string | Script | null
}

/**
 * [L16] Opens the configured language model. Nothing is sent before the first `ask`.
 * @throws ScriptError for a script that cannot be read, naming the file and the place in it.
 */
export function openModel(settings: ModelSettings, log: Log, fetch?: typeof globalThis.fetch): Model {
  if (settings.provider === 'scripted') return openScripted(settings.script ?? null, log)
  const { open, model } = PROVIDERS[settings.provider]
  const connection: Connection = {
    model: settings.model ?? model,
    baseUrl: settings.baseUrl,
    apiKey: settings.apiKey,
    fetch: fetch ?? openFetch(),
  }
  return providerModel(settings.provider, open(connection), connection, log)
}
