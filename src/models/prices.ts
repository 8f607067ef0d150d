import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import type { TokenCounts } from '../../actors/runtime/ports.ts'
import { CONTEXT_TOKENS_DEFAULT } from '../../machines/limits.ts'

/** What a model costs in USD per million tokens, and how much it can read. */
export interface ModelFacts {
  readonly input: number
  readonly output: number
  /** Input that the provider reads from its prompt cache; a tenth of `input` when left out. */
  readonly cached?: number
  /** Input that the provider writes to its prompt cache; `input` when left out. */
  readonly written?: number
  /** Tokens of a request and its reply together. */
  readonly context?: number
}

/** List prices. Anthropic bills what it writes to the cache at a quarter more; the others write it for nothing extra. */
const claude = (input: number, output: number, context = 200_000): ModelFacts => ({
  input,
  output,
  written: input * 1.25,
  context,
})
const gpt = (input: number, output: number, context = 400_000): ModelFacts => ({ input, output, context })
const gemini = (input: number, output: number): ModelFacts => ({ input, output, context: 1_000_000 })

const MODELS: Readonly<Record<string, ModelFacts>> = {
  'claude-fable-5-1': claude(10, 50),
  'claude-fable-5': claude(10, 50),
  'claude-opus-5-5': claude(4, 20),
  'claude-opus-5': claude(5, 25),
  'claude-opus-4-8': claude(5, 25),
  'claude-opus-4-7': claude(5, 25),
  'claude-opus-4-6': claude(5, 25),
  'claude-opus-4-5': claude(5, 25),
  'claude-opus-4-1': claude(15, 75),
  'claude-sonnet-5-5': claude(2, 10),
  'claude-sonnet-5': claude(2, 10),
  'claude-sonnet-4-6': claude(3, 15),
  'claude-sonnet-4-5': claude(3, 15),
  'claude-haiku-5-5': claude(0.1, 0.5),
  'claude-haiku-4-5': claude(1, 5),
  'gpt-6.1-sol': gpt(2, 10),
  'gpt-6-sol': gpt(2, 10),
  'gpt-6-luna': gpt(0.1, 0.5),
  'gpt-5.4': gpt(2.5, 15),
  'gpt-5.2': gpt(1.75, 14),
  'gpt-5.1': gpt(1.25, 10),
  'gpt-5': gpt(1.25, 10),
  'gpt-5-mini': gpt(0.25, 2),
  'gpt-5-nano': gpt(0.05, 0.4),
  'gpt-4.1': { ...gpt(2, 8, 1_000_000), cached: 0.5 },
  'gpt-4.1-mini': { ...gpt(0.4, 1.6, 1_000_000), cached: 0.1 },
  'gpt-4.1-nano': { ...gpt(0.1, 0.4, 1_000_000), cached: 0.025 },
  'gpt-4o': { ...gpt(2.5, 10, 128_000), cached: 1.25 },
  'gpt-4o-mini': { ...gpt(0.15, 0.6, 128_000), cached: 0.075 },
  'gemini-3.5-flash': gemini(1.5, 9),
  'gemini-3.1-pro-preview': gemini(2, 12),
  'gemini-3-flash-preview': gemini(0.5, 3),
  'gemini-2.5-pro': gemini(1.25, 10),
  'gemini-2.5-flash': gemini(0.3, 2.5),
  'gemini-2.5-flash-lite': gemini(0.1, 0.4),
  /** They play a script on this machine. */
  scripted: { input: 0, output: 0 },
  demo: { input: 0, output: 0 },
}

const MILLION = 1_000_000

/** What follows a model's name in an id of one of its versions. Any other ending is another model. */
const DATED = /[-@:](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/

const price = v.pipe(v.number(), v.minValue(0, 'must not be negative'))
const Overrides = v.record(
  v.string(),
  v.strictObject({
    input: price,
    output: price,
    cached: v.optional(price),
    written: v.optional(price),
    context: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1_000))),
  }),
)

/** Prices and context windows by model id. */
export interface ModelTable {
  /** [B15] What tokens cost in USD; `null` for a model without a price here: better no figure than a wrong one. */
  readonly costUsd: (model: string, tokens: TokenCounts) => number | null
  readonly contextTokens: (model: string) => number
}

/**
 * The table of models with the operator's own prices over it: `LLM_PRICES`, a JSON object or the path of a file that
 * holds one, `{"<model>": {"input": 2, "output": 10, "cached": 0.2, "written": 2.5, "context": 200000}}` in USD per
 * million tokens.
 * @throws Error with one line that names the setting and the model whose entry is wrong.
 */
export function modelTable(prices: string | null = null): ModelTable {
  const models = prices === null ? MODELS : { ...MODELS, ...overridesOf(prices) }
  const factsOf = (model: string): ModelFacts | undefined => {
    // Gateways and Google put a path before the name: `anthropic/claude-…`, `models/gemini-…`.
    const base = model.slice(model.lastIndexOf('/') + 1)
    return [model, base, base.replace(DATED, '')]
      .filter((name) => Object.hasOwn(models, name))
      .map((name) => models[name])[0]
  }
  return {
    costUsd(model, { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 }) {
      const facts = factsOf(model)
      if (!facts) return null
      const { input, output, cached = input / 10, written = input } = facts
      const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens)
      return (fresh * input + cachedTokens * cached + cacheWriteTokens * written + outputTokens * output) / MILLION
    },
    contextTokens: (model) => factsOf(model)?.context ?? CONTEXT_TOKENS_DEFAULT,
  }
}

function overridesOf(prices: string): Readonly<Record<string, ModelFacts>> {
  let json: unknown
  try {
    json = JSON.parse(prices.trimStart().startsWith('{') ? prices : readFileSync(prices, 'utf8'))
  } catch (error) {
    throw new Error(`LLM_PRICES: ${error instanceof Error ? error.message : 'not valid JSON'}`)
  }
  const parsed = v.safeParse(Overrides, json)
  if (parsed.success) return parsed.output as Readonly<Record<string, ModelFacts>>
  const [issue] = parsed.issues
  throw new Error(`LLM_PRICES: ${v.getDotPath(issue) ?? 'the whole'}: ${issue.message}`)
}
