/** USD per million tokens, [input, output], at the providers' list prices without discounts for cached input or batches. */
const PRICES: Readonly<Record<string, readonly [input: number, output: number]>> = {
  'claude-fable-5-1': [10, 50],
  'claude-fable-5': [10, 50],
  'claude-opus-5-5': [4, 20],
  'claude-opus-5': [5, 25],
  'claude-opus-4-8': [5, 25],
  'claude-opus-4-7': [5, 25],
  'claude-opus-4-6': [5, 25],
  'claude-opus-4-5': [5, 25],
  'claude-opus-4-1': [15, 75],
  'claude-sonnet-5-5': [2, 10],
  'claude-sonnet-5': [2, 10],
  'claude-sonnet-4-6': [3, 15],
  'claude-sonnet-4-5': [3, 15],
  'claude-haiku-5-5': [0.1, 0.5],
  'claude-haiku-4-5': [1, 5],
  'gpt-6.1-sol': [2, 10],
  'gpt-6-sol': [2, 10],
  'gpt-6-luna': [0.1, 0.5],
  'gpt-5.4': [2.5, 15],
  'gpt-5.2': [1.75, 14],
  'gpt-5.1': [1.25, 10],
  'gpt-5': [1.25, 10],
  'gpt-5-mini': [0.25, 2],
  'gpt-5-nano': [0.05, 0.4],
  'gpt-4.1': [2, 8],
  'gpt-4.1-mini': [0.4, 1.6],
  'gpt-4.1-nano': [0.1, 0.4],
  'gpt-4o': [2.5, 10],
  'gpt-4o-mini': [0.15, 0.6],
  'gemini-3.5-flash': [1.5, 9],
  'gemini-3.1-pro-preview': [2, 12],
  'gemini-3-flash-preview': [0.5, 3],
  'gemini-2.5-pro': [1.25, 10],
  'gemini-2.5-flash': [0.3, 2.5],
  'gemini-2.5-flash-lite': [0.1, 0.4],
}
const MILLION = 1_000_000

/** What follows a model's name in an id of one of its versions. Any other ending is another model. */
const DATED = /[-@:](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/

/** [B15] What the tokens cost in USD. A model that is not in the table costs 0: better no figure than a wrong one. */
export function costUsd(model: string, inputTokens: number, outputTokens: number): number {
  // Gateways and Google put a path before the name: `anthropic/claude-…`, `models/gemini-…`.
  const name = model.slice(model.lastIndexOf('/') + 1).replace(DATED, '')
  const price = Object.hasOwn(PRICES, name) ? PRICES[name] : undefined
  return price ? (inputTokens * price[0] + outputTokens * price[1]) / MILLION : 0
}
