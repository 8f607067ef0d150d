import type * as v from 'valibot'
import { BROWSER_TOOLS, type InputOf, type LOOKS, type Tool } from '../../wire/tools.ts'
import type { Call } from './page.ts'
import type { Result } from './result.ts'
import { computer } from './tools/computer.ts'
import { dialog } from './tools/dialog.ts'
import { files } from './tools/files.ts'
import { find } from './tools/find.ts'
import { formInput } from './tools/form-input.ts'
import { getPageText } from './tools/get-page-text.ts'
import { javascript } from './tools/javascript.ts'
import { navigate } from './tools/navigate.ts'
import { readPage } from './tools/read-page.ts'
import { tabs } from './tools/tabs.ts'

export type Look = (typeof LOOKS)[number]

/** A tool as it is executed. Its functions take what its schema let through. */
export interface ExecutableTool {
  readonly schema: v.GenericSchema
  run(call: Call, input: unknown): Promise<Result>
  /** It may change the page, so that its answer shows what changed. */
  acts(input: unknown): boolean
  look(input: unknown): Look
  /** How long it waits on purpose, in milliseconds. */
  waitMs(input: unknown): number
}

type Run<Input> = (call: Call, input: Input) => Promise<string | Result>
type BrowserTool = (typeof BROWSER_TOOLS)[number]

/** What each tool does. One that answers a text answers words of the page. */
const RUNS: { readonly [T in BrowserTool as T['name']]: Run<InputOf<T>> } = {
  navigate,
  read_page: readPage,
  find,
  form_input: formInput,
  get_page_text: getPageText,
  computer,
  javascript_tool: javascript,
  tabs,
  dialog,
  files,
}

function executable({ input: schema, acts, waitMs }: Tool, run: Run<never>): ExecutableTool {
  return {
    schema,
    async run(call, input) {
      const done = await run(call, input as never)
      return typeof done === 'string' ? { said: '', content: done } : done
    },
    acts: (input) => acts?.(input as never) ?? false,
    look: (input) => (input as { look?: Look }).look ?? 'changes',
    waitMs: (input) => waitMs?.(input as never) ?? 0,
  }
}

export const TOOLS: ReadonlyMap<string, ExecutableTool> = new Map(
  BROWSER_TOOLS.map((tool) => [tool.name, executable(tool, RUNS[tool.name])]),
)
