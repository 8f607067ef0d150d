import type { ContentPart, GenerateResult } from './sdk.ts'

/** Called with each piece of a reply: what its text is so far. */
export type Hear = (textSoFar: string) => void

/** What a reply is made of, whether it came whole or in pieces. */
export type Generated = Pick<GenerateResult, 'content' | 'finishReason' | 'usage'>

/** A piece of a reply while it is being read. */
export type Said = Extract<ContentPart, { type: 'text' | 'reasoning' | 'tool-call' }>

/** How many tokens a request and its reply took, as the endpoint counts them. */
export interface Counted {
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cached?: number | undefined
  readonly written?: number | undefined
}

export const usageOf = ({ input, output, cached, written }: Counted): Generated['usage'] => ({
  inputTokens: { total: input, noCache: undefined, cacheRead: cached, cacheWrite: written },
  outputTokens: { total: output, text: undefined, reasoning: undefined },
})

/** Empty texts are refused when they go back, but some carry a signature. */
export const isSaid = (part: ContentPart): boolean =>
  part.type !== 'text' || part.text !== '' || part.providerMetadata !== undefined
