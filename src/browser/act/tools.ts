import type * as v from 'valibot'
import { SECOND_MS } from '../../../machines/limits.ts'
import { TEXT_WAIT_MS_MAX } from '../../wire/limits.ts'
import {
  ComputerInput,
  DialogInput,
  FilesInput,
  FindInput,
  FormInputInput,
  GetPageTextInput,
  JavascriptToolInput,
  type LOOKS,
  NavigateInput,
  ReadPageInput,
  TabsInput,
} from '../../wire/tools.ts'
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

const NEVER = () => false
const ALWAYS = () => true

function tool<S extends v.GenericSchema>(
  schema: S,
  run: (call: Call, input: v.InferOutput<S>) => Promise<string | Result>,
  acts: (input: v.InferOutput<S>) => boolean,
  waitMs: (input: v.InferOutput<S>) => number = () => 0,
): ExecutableTool {
  return {
    schema,
    // A tool that answers a text answers words of the page.
    async run(call, input) {
      const done = await run(call, input as v.InferOutput<S>)
      return typeof done === 'string' ? { said: '', content: done } : done
    },
    acts: (input) => acts(input as v.InferOutput<S>),
    look: (input) => (input as { look?: Look }).look ?? 'changes',
    waitMs: (input) => waitMs(input as v.InferOutput<S>),
  }
}

const waitsFor = ({ action, duration, text, gone }: ComputerInput): number => {
  if (action !== 'wait') return 0
  // The last moments of a wait for a text are for looking.
  return text === undefined && gone === undefined ? (duration ?? 1) * SECOND_MS : TEXT_WAIT_MS_MAX
}

export const TOOLS: ReadonlyMap<string, ExecutableTool> = new Map([
  ['navigate', tool(NavigateInput, navigate, ALWAYS)],
  ['read_page', tool(ReadPageInput, readPage, NEVER)],
  ['find', tool(FindInput, find, NEVER)],
  ['form_input', tool(FormInputInput, formInput, ALWAYS)],
  ['get_page_text', tool(GetPageTextInput, getPageText, NEVER)],
  ['computer', tool(ComputerInput, computer, ({ action }) => !['screenshot', 'zoom'].includes(action), waitsFor)],
  ['javascript_tool', tool(JavascriptToolInput, javascript, ALWAYS)],
  ['tabs', tool(TabsInput, tabs, ({ action }) => action !== 'list')],
  ['dialog', tool(DialogInput, dialog, ALWAYS)],
  ['files', tool(FilesInput, files, ({ action }) => action === 'upload')],
])
