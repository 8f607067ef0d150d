import type { PageFrame } from '../frames.ts'
import type { Call } from '../page.ts'
import { ask } from '../tree/reader.ts'

/**
 * The call as the keyboard uses it: keys go to the session of the frame that has the focus. In a tab in the background
 * the browser does not pass them on to frames in processes of their own.
 */
export async function withFocus(call: Call): Promise<Call> {
  const { frames } = call.page
  let frame: PageFrame | null = await frames.main(call)
  for (let number = await focusedIn(call, frame); number !== null; number = await focusedIn(call, frame)) {
    const inner = frames.known(number)
    if (!inner) break
    frame = inner
  }
  return towards(call, frame)
}

/** The call as the keyboard uses it for what is in a frame. */
export const towards = (call: Call, { session }: PageFrame): Call =>
  session === call.page.cdp ? call : { ...call, send: (method, params) => call.sendTo(session, method, params) }

const focusedIn = (call: Call, frame: PageFrame): Promise<number | null> => ask(call, frame, 'focusedFrame')
