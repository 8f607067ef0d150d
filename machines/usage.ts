/** What a task or a request used of the language model, in tokens and calls. */
export interface Usage {
  /** Cached ones included. */
  readonly inputTokens: number
  /** Of the input: what the provider read from its prompt cache, and what it wrote to it. */
  readonly cachedTokens?: number
  readonly cacheWriteTokens?: number
  readonly outputTokens: number
  readonly apiCalls: number
}
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, apiCalls: 0 }

/** The sum of both. What no provider reported is left out. */
export function withUsage(a: Usage, b: Usage): Usage {
  const cachedTokens = (a.cachedTokens ?? 0) + (b.cachedTokens ?? 0)
  const cacheWriteTokens = (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0)
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cachedTokens > 0 ? { cachedTokens } : {}),
    ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
    apiCalls: a.apiCalls + b.apiCalls,
  }
}
