import type { ComputerInput } from '../../../wire/tools.ts'
import { ToolError } from '../cdp.ts'
import { clicked } from '../computer/mouse.ts'
import { type Element, nameOf, objectIn, objectOf } from '../element.ts'
import { type Call, type Chooser, type FrameObject, onElement } from '../page.ts'
import type { Result } from '../result.ts'
import { DROP_FILE, FILE_FIELD, FILE_WAY, GIVE_FILE, HOLDS_FILE } from '../scripts/files.ts'
import { pause } from '../waiting.ts'

/** A button opens its file window within this time. */
const CHOOSER_MS_MAX = 1_500
/** A page that has got a file does something within this time. */
const ANSWER_MS_MAX = 1_000
const LOOK_MS = 20

export interface GivenFile {
  readonly base64: string
  readonly name: string
  readonly mediaType: string
}

/**
 * Uploads a file: to a file field, by a drop on what files are dropped on, or to the field that a press on anything else
 * opens the file window for. Says when the page shows no sign of having got it.
 */
export async function uploadTo(call: Call, element: Element, file: GivenFile): Promise<Result> {
  const objectId = await objectOf(call, element, FILE_FIELD)
  if (objectId !== null) return give(call, element, { frame: element.frame, objectId }, file)
  const way = await onElement<'drop' | 'press' | 'any'>(call, element, FILE_WAY)
  const byDrop = way === 'drop' ? await drop(call, element, file) : null
  if (byDrop) return byDrop
  const field = await fieldByPress(call, element)
  if (field) return give(call, element, field, file)
  const afterwards = way === 'any' ? await drop(call, element, file) : null
  if (afterwards) return afterwards
  call.done = null
  throw notUploaded(element, 'was clicked, and opened no file window')
}

/** The field that a click asks a file for; no file window opens. `null` when it asks for none. */
async function fieldByPress(call: Call, element: Element): Promise<FrameObject | null> {
  const { page } = call
  page.chooser = null
  await clicked(call, { action: 'left_click', ref: element.ref } as ComputerInput, 'Clicked', 'left', 1)
  const until = performance.now() + CHOOSER_MS_MAX
  const asked = (): Chooser | null => page.chooser
  while (!asked() && performance.now() < until && !call.signal.aborted) await pause(LOOK_MS, call.signal)
  const chooser = asked()
  page.chooser = null
  if (chooser === null) return null
  if (chooser.backendNodeId === undefined)
    throw notUploaded(element, 'opens a file window that no file can be given to')
  const frame = page.frames.withId(chooser.frameId) ?? (await page.frames.main(call))
  return objectIn(call, frame, chooser.backendNodeId)
}

async function give(call: Call, element: Element, field: FrameObject, file: GivenFile): Promise<Result> {
  const since = performance.now()
  const error = await onElement<string | null>(call, field, GIVE_FILE, file.base64, file.name, file.mediaType)
  if (error !== null) throw notUploaded(element, error)
  return gave(call, element, field, file, since)
}

/** `null` where nothing can be dropped. */
async function drop(call: Call, element: Element, file: GivenFile): Promise<Result | null> {
  const since = performance.now()
  const isAccepted = await onElement<boolean>(call, element, DROP_FILE, file.base64, file.name, file.mediaType)
  return isAccepted ? gave(call, element, null, file, since) : null
}

/** What is told once the page has the file, with whether it shows it. */
async function gave(
  call: Call,
  element: Element,
  field: FrameObject | null,
  { name }: GivenFile,
  since: number,
): Promise<Result> {
  const { activity } = call.page
  call.done = { said: `Gave the file to ${element.ref}.`, content: nameOf(element) }
  const shows = () => activity.changedAt >= since || activity.networkAt >= since
  const until = performance.now() + ANSWER_MS_MAX
  const isHeld = field !== null && (await onElement<boolean>(call, field, HOLDS_FILE, name))
  while (!isHeld && !shows() && performance.now() < until && !call.signal.aborted) await pause(LOOK_MS, call.signal)
  if (isHeld || shows()) return call.done
  return { ...call.done, said: `${call.done.said} Nothing on the page shows that it took it.` }
}

const notUploaded = (element: Element, why: string): ToolError =>
  new ToolError(`The file was not uploaded: ${element.ref} ${why}.`, nameOf(element))
