import type { PageFrame } from '../frames.ts'
import type { Call } from '../page.ts'
import { ask } from '../tree/reader.ts'

/**
 * The call as the keyboard uses it: keys go to the session of the frame that has the focus. In a tab in the background
 * the browser does not pass them on to frames in processes of their own.
 */
export const withFocus = async (call: Call): Promise<Call> => towards(call, await focusedFrame(call))

/** The frame that has the focus, the main one when nothing has. */
export async function focusedFrame(call: Call): Promise<PageFrame> {
  const { frames } = call.page
  let frame = await frames.main(call)
  for (let number = await focusedIn(call, frame); number !== null; number = await focusedIn(call, frame)) {
    const inner = frames.known(number)
    if (!inner) break
    frame = inner
  }
  return frame
}

/** The call as the keyboard uses it for what is in a frame. */
export const towards = (call: Call, { session }: PageFrame): Call =>
  session === call.page.cdp ? call : { ...call, send: (method, params) => call.sendTo(session, method, params) }

const focusedIn = (call: Call, frame: PageFrame): Promise<number | null> => ask(call, frame, 'focusedFrame')
