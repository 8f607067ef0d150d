import { CHARS_PER_TOKEN } from '../limits.ts'

/** Scripts that take about a token for each character, and those that take about one for two. */
const DENSE = /[\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g
const MEDIUM = /[\u0370-\u2fff]/g

/** How many tokens a text has, by its script, for as long as no provider has counted it. */
export function estimatedTokens(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0
  const medium = text.match(MEDIUM)?.length ?? 0
  return Math.ceil(dense + medium / 2 + (text.length - dense - medium) / CHARS_PER_TOKEN)
}
