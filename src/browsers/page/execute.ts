import * as v from 'valibot'
import { SECOND_MS } from '../../../machines/limits.ts'
import {
  ComputerInput,
  FindInput,
  FormInputInput,
  GetPageTextInput,
  JavascriptToolInput,
  NavigateInput,
  ReadPageInput,
} from '../../wire/tools.ts'
import { ToolError } from './cdp.ts'
import type { Call, Note, Page } from './page.ts'
import { joinLines, type Result } from './result.ts'
import { computer } from './tools/computer.ts'
import { find } from './tools/find.ts'
import { formInput } from './tools/form-input.ts'
import { getPageText } from './tools/get-page-text.ts'
import { javascript } from './tools/javascript.ts'
import { navigate } from './tools/navigate.ts'
import { readPage } from './tools/read-page.ts'
import { unlessAborted } from './waiting.ts'

type Run = (call: Call, input: unknown) => Promise<Result>

/** A tool that answers a text answers words of the page. */
const tool =
  <S extends v.GenericSchema>(schema: S, run: (call: Call, input: v.InferOutput<S>) => Promise<string | Result>): Run =>
  async (call, input) => {
    const parsed = v.safeParse(schema, input)
    if (!parsed.success) {
      const [issue] = parsed.issues
      throw new ToolError(`The field ${v.getDotPath(issue) ?? 'input'} is invalid: ${issue.message}.`)
    }
    const done = await run(call, parsed.output)
    return typeof done === 'string' ? { said: '', content: done } : done
  }

const TOOLS: ReadonlyMap<string, Run> = new Map([
  ['navigate', tool(NavigateInput, navigate)],
  ['read_page', tool(ReadPageInput, readPage)],
  ['find', tool(FindInput, find)],
  ['form_input', tool(FormInputInput, formInput)],
  ['get_page_text', tool(GetPageTextInput, getPageText)],
  ['computer', tool(ComputerInput, computer)],
  ['javascript_tool', tool(JavascriptToolInput, javascript)],
])

/**
 * Executes one browser tool on a page. What happened beside (a dialog) is told in the result, and in an error.
 * Throws a ToolError for what the model should read, and the signal's reason as soon as it aborts. A page that does
 * not answer is given up in time, and nothing more is done to it then.
 */
export async function executeTool(page: Page, name: string, input: unknown, signal: AbortSignal): Promise<Result> {
  const run = TOOLS.get(name)
  if (!run) throw new ToolError(`There is no tool ${JSON.stringify(name)}.`)
  const silent = new ToolError(
    `The page did not answer within ${page.patience.answerMs / SECOND_MS} s: it may be busy.`,
  )
  const end = new AbortController()
  const stop = () => end.abort(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  // These two wait on purpose, and have bounds of their own.
  const waits = name === 'navigate' || (name === 'computer' && (input as { action?: unknown })?.action === 'wait')
  const timer = waits ? null : setTimeout(() => end.abort(silent), page.patience.answerMs)
  try {
    const done = await unlessAborted(run(page.call(end.signal), input), end.signal)
    return withNotes(done, page.takeNotes())
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const { said, content } = withNotes(failureOf(error), page.takeNotes())
    throw new ToolError(said, content)
  } finally {
    if (timer !== null) clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    end.abort(signal.reason)
  }
}

const withNotes = (result: Result, notes: readonly Note[]): Result => ({
  ...result,
  said: joinLines(result.said, ...notes.map(({ said }) => said)),
  content: joinLines(result.content, ...notes.map(({ content }) => content)),
})

/** What a tool says is for the model as it is; what the protocol says is named as such. */
function failureOf(error: unknown): Result {
  if (error instanceof ToolError) return { said: error.message, content: error.content }
  return { said: 'The browser could not do it.', content: error instanceof Error ? error.message : String(error) }
}
