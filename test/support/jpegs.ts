import type { TabHost } from '../../src/browser/task-tabs.ts'

/** Colours by name, or as numbers. */
export interface Corners {
  readonly topLeft: string
  readonly topRight: string
  readonly bottomLeft: string
  readonly bottomRight: string
}

/** Of `fixtures/marked.html`, by its own fixed marks. */
export const MARKED: Corners = { topLeft: 'red', topRight: 'green', bottomLeft: 'blue', bottomRight: 'black' }

/** Evaluates an expression in an empty page, and waits for its value. */
export type Evaluate = (expression: string) => Promise<unknown>

/** The size of a JPEG in base64, and the colours near its corners. */
export const cornersOf = async (
  evaluate: Evaluate,
  jpeg: string,
): Promise<Corners & { width: number; height: number }> =>
  (await evaluate(`(${CORNERS})(${JSON.stringify(jpeg)})`)) as Corners & { width: number; height: number }

/** A tab of its own for that. */
export async function decoderIn(host: TabHost): Promise<Evaluate> {
  const { cdp } = await host.open('decoder')
  return async (expression) => {
    const asked = { expression, awaitPromise: true, returnByValue: true }
    return ((await cdp.send('Runtime.evaluate', asked)) as { result: { value: unknown } }).result.value
  }
}

const CORNERS = `async (jpeg) => {
  const bytes = Uint8Array.from(atob(jpeg), (character) => character.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }))
  const { width, height } = image
  const canvas = new OffscreenCanvas(width, height).getContext('2d')
  canvas.drawImage(image, 0, 0)
  const colours = { red: [255, 0, 0], green: [0, 128, 0], blue: [0, 0, 255], black: [0, 0, 0], white: [255, 255, 255], grey: [128, 128, 128] }
  const at = (x, y) => {
    const [r, g, b] = canvas.getImageData(x, y, 1, 1).data
    const near = Object.entries(colours).find(([, [red, green, blue]]) => Math.abs(r - red) + Math.abs(g - green) + Math.abs(b - blue) < 60)
    return near ? near[0] : [r, g, b].join()
  }
  const [right, bottom] = [width - 10, height - 10]
  return { topLeft: at(10, 10), topRight: at(right, 10), bottomLeft: at(10, bottom), bottomRight: at(right, bottom), width, height }
}`
