import { SECOND_MS } from '../../../../machines/limits.ts'
import { TEXT_WAIT_MS_MAX } from '../../../wire/limits.ts'
import type { ComputerInput } from '../../../wire/tools.ts'
import { ToolError } from '../cdp.ts'
import { type Call, evaluate } from '../page.ts'
import type { Result } from '../result.ts'
import { SHOWN_TEXT } from '../scripts/element.ts'
import { pause } from '../waiting.ts'

const LOOK_MS = 100

/** Waits some seconds, or until a text is on the page, or is no longer there. */
export async function waited(call: Call, { duration, text, gone }: ComputerInput): Promise<Result> {
  const wanted = text ?? gone
  if (wanted === undefined) {
    await pause((duration ?? 1) * SECOND_MS, call.signal)
    return { said: `Waited ${duration ?? 1} s.`, content: '' }
  }
  const isWantedThere = gone === undefined
  const until = performance.now() + Math.min((duration ?? Number.POSITIVE_INFINITY) * SECOND_MS, TEXT_WAIT_MS_MAX)
  const started = performance.now()
  for (;;) {
    if ((await shows(call, wanted)) === isWantedThere) {
      const seconds = ((performance.now() - started) / SECOND_MS).toFixed(1)
      return { said: `The text ${isWantedThere ? 'is' : 'is no longer'} on the page, after ${seconds} s.`, content: '' }
    }
    if (performance.now() >= until || call.signal.aborted) break
    await pause(LOOK_MS, call.signal)
  }
  throw new ToolError(`The text is ${isWantedThere ? 'not' : 'still'} on the page.`)
}

/** A page that is being replaced shows nothing. */
async function shows(call: Call, wanted: string): Promise<boolean> {
  try {
    const frames = await call.page.frames.list(call)
    // The text of a frame of the same process is read with that of the document around it.
    const outermost = frames.filter(({ parent, session }) => parent?.session !== session)
    const shown = await Promise.all(outermost.map((frame) => evaluate(call, SHOWN_TEXT, frame)))
    const normal = (text: unknown) =>
      String(text ?? '')
        .replace(/\s+/g, ' ')
        .toLowerCase()
    return shown.some(({ result }) => normal(result.value).includes(normal(wanted.trim())))
  } catch (error) {
    if (call.signal.aborted) throw error
    return false
  }
}
