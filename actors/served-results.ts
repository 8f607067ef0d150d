import type { CallResult } from '../machines/records.ts'
import type { ServedStep } from './served-calls.ts'

export const said = (text: string): ServedStep => ({
  outcome: { status: 'done', said: text, output: text, screenshot: null },
})

export const failed = (message: string): ServedStep => ({
  outcome: { status: 'failed', category: 'internal', message } satisfies CallResult,
})
