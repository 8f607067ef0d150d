import { ToolError } from './cdp.ts'
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

export const UNREAD: Result = {
  said: 'The page could not be read afterwards. Look at it before you repeat anything.',
  content: '',
}

/** What a tool says is for the model as it is; the protocol's words would tell it nothing. */
export const failureOf = (error: unknown): Result =>
  error instanceof ToolError
    ? { said: error.message, content: error.content }
    : {
        said: 'This could not be done: the page changed or went away meanwhile. Look at it, then try again.',
        content: '',
      }
