import PQueue from 'p-queue'
import type { Answer, CdpSession, Params } from './act/cdp.ts'

/** A picture that takes longer lets the next one begin. */
const CAPTURE_MS_MAX = 5_000
const FOR_THE_MODEL = 1
const FOR_PEOPLE = 0

const queues = new WeakMap<CdpSession, PQueue>()

export interface Capture {
  readonly quality: number
  /** A part of the page, enlarged: while that is taken the whole tab is drawn so. */
  readonly clip?: NonNullable<Params<'Page.captureScreenshot'>>['clip']
}

/**
 * A JPEG of a tab, in base64: of what it shows, in the pixels of the display, unless a clip is given. A tab has one
 * queue of captures, in which those for the model come first: one that is taken while another has a clip would show the
 * page as it is drawn for that one.
 */
export async function captureTab(
  cdp: CdpSession,
  { quality, clip }: Capture,
  { forModel, send = cdp.send }: { readonly forModel: boolean; readonly send?: CdpSession['send'] },
): Promise<string> {
  const queue = queues.get(cdp) ?? new PQueue({ concurrency: 1 })
  queues.set(cdp, queue)
  const params = { format: 'jpeg', quality, optimizeForSpeed: true, ...(clip ? { clip } : {}) }
  const { data } = (await queue.add(() => send('Page.captureScreenshot', params), {
    priority: forModel ? FOR_THE_MODEL : FOR_PEOPLE,
    timeout: CAPTURE_MS_MAX,
  })) as Answer<'Page.captureScreenshot'>
  return data
}
