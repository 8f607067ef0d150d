/** What a tool answers. The model is told which words are the tool's own and which come from the page. */
export interface Result {
  /** The tool's own sentences. */
  readonly said: string
  /** Words of the page: untrusted. */
  readonly content: string
  /** A JPEG in base64. */
  readonly screenshot?: string
  /** The reference of a field; what it holds now is told. */
  readonly told?: string
}

/** Lines that say something, each on a line of its own. */
export const joinLines = (...parts: readonly (string | null | undefined | false)[]): string =>
  parts.filter(Boolean).join('\n')

/** As one text, for those who do not tell the two apart. */
export const textOfResult = ({ said, content }: Pick<Result, 'said' | 'content'>): string => joinLines(said, content)
