import PQueue from 'p-queue'
import type { Answer, Cdp, CdpSession, Params } from './act/cdp.ts'

/** A picture that takes longer lets the next one begin. */
const CAPTURE_MS_MAX = 5_000
/** A tab in the background draws nothing by itself: the first question has it drawn, and often only the second is answered. */
const ASKED_AGAIN_MS = 100
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
  cdp: Cdp,
  { quality, clip }: Capture,
  { forModel, send = cdp.send }: { readonly forModel: boolean; readonly send?: CdpSession['send'] },
): Promise<string> {
  const queue = queues.get(cdp) ?? new PQueue({ concurrency: 1 })
  queues.set(cdp, queue)
  const params = { format: 'jpeg', quality, optimizeForSpeed: true, ...(clip ? { clip } : {}) }
  const take = () => send('Page.captureScreenshot', params)
  const isHidden = (await cdp.isHidden?.()) ?? false
  const { data } = (await queue.add(isHidden ? () => asked(take) : take, {
    priority: forModel ? FOR_THE_MODEL : FOR_PEOPLE,
    timeout: CAPTURE_MS_MAX,
  })) as Answer<'Page.captureScreenshot'>
  return data
}

async function asked(take: () => Promise<unknown>): Promise<unknown> {
  const again = new Promise((resolve) => setTimeout(resolve, ASKED_AGAIN_MS)).then(take)
  again.catch(() => {})
  return Promise.race([take(), again])
}
