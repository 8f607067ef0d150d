import { LIVE_JPEG_CHARS_MAX } from '../wire/limits.ts'
import type { Cdp } from './act/cdp.ts'
import { sizeOf } from './act/screenshot.ts'
import { captureTab } from './captures.ts'
import { LIVE_QUALITY, LIVE_WIDTH_PX_MAX } from './limits.ts'

const CAPTURE_QUALITY = 75
/** What is tried one after the other for a picture that has too many characters: shares of its width and quality. */
const SMALLER = [
  { width: 1, quality: 1 },
  { width: 1, quality: 0.5 },
  { width: 0.67, quality: 0.5 },
]

export interface PictureOptions {
  /** At most so wide. */
  readonly width: number
  readonly quality: number
  /** [R52] It has at most so many characters, of lower quality if need be. */
  readonly charsMax: number
}

/** As large as the service takes one. */
export const LIVE_PICTURE = { width: LIVE_WIDTH_PX_MAX, quality: LIVE_QUALITY, charsMax: LIVE_JPEG_CHARS_MAX }

/**
 * A JPEG, in base64, of what a tab shows now, for people; `null` when none is small enough. It is made smaller outside
 * the page: a page drawn smaller for it would spoil the model's screenshots, and what is clicked meanwhile.
 */
export async function pictureOf(cdp: Cdp, { width, quality, charsMax }: PictureOptions): Promise<string | null> {
  const jpeg = await captureTab(cdp, { quality: CAPTURE_QUALITY }, { forModel: false })
  const widest = Math.min(width, sizeOf(jpeg).width)
  for (const share of SMALLER) {
    const picture = await cdp.shrink({
      jpeg,
      width: Math.round(widest * share.width),
      quality: Math.round(quality * share.quality),
    })
    if (picture.length <= charsMax) return picture
  }
  return null
}
