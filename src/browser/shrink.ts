export interface ShrinkOptions {
  /** In base64. */
  readonly jpeg: string
  /** In pixels; its height follows. */
  readonly width: number
  /** From 1 to 100. */
  readonly quality: number
  /** The part of the picture that is copied, as shares of its width and height; left out: all of it. */
  readonly part?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
}

// Of the types of the web, which a program for Node does not have.
declare function createImageBitmap(source: Blob): Promise<{ width: number; height: number; close(): void }>
declare class OffscreenCanvas {
  readonly width: number
  readonly height: number
  constructor(width: number, height: number)
  getContext(kind: '2d'): {
    imageSmoothingQuality: string
    drawImage(image: object, ...fromAndTo: readonly number[]): void
  } | null
  convertToBlob(options: { type: string; quality: number }): Promise<Blob>
}

/**
 * A smaller copy of a JPEG, or of a part of it, in base64. Runs where there is a canvas: in the extension's worker, or in an empty page of
 * the headless browser, which is given its source. So it uses nothing around it, and no functions with names in it, for
 * which compilers add helpers.
 */
export async function shrinkJpeg({ jpeg, width, quality, part }: ShrinkOptions): Promise<string> {
  const source = Uint8Array.from(atob(jpeg), (character) => character.charCodeAt(0))
  const image = await createImageBitmap(new Blob([source], { type: 'image/jpeg' }))
  const shares = part ?? { x: 0, y: 0, width: 1, height: 1 }
  const from = {
    x: image.width * shares.x,
    y: image.height * shares.y,
    width: image.width * shares.width,
    height: image.height * shares.height,
  }
  const canvas = new OffscreenCanvas(width, Math.max(1, Math.round((from.height * width) / from.width)))
  const context = canvas.getContext('2d')
  if (!context) throw new Error('There is no canvas')
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, from.x, from.y, from.width, from.height, 0, 0, canvas.width, canvas.height)
  image.close()
  const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: quality / 100 })
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(text)
}
