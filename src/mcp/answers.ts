import { BrowserTaskError } from '../client/index.ts'

/** A tool's answer, as structure and as text; what the API refuses is the tool's error. */
export async function answering<Answer extends object>(work: () => Promise<Answer>) {
  try {
    const structuredContent = await work()
    return {
      content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }],
      structuredContent: { ...structuredContent },
    }
  } catch (error) {
    return refusal(error)
  }
}

/** What the API refuses is the tool's error; anything else is thrown. */
export function refusal(error: unknown) {
  if (!(error instanceof BrowserTaskError)) throw error
  return { content: [{ type: 'text' as const, text: `${error.message} (${error.code})` }], isError: true }
}
