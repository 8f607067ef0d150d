import type { Answer, Cdp } from './page/cdp.ts'

/** A JPEG, in base64, of what a tab shows now: so wide at most. */
export async function pictureOf(cdp: Cdp, widthPx: number, quality: number): Promise<string> {
  const { cssVisualViewport: view } = (await cdp.send('Page.getLayoutMetrics')) as Answer<'Page.getLayoutMetrics'>
  const { data } = (await cdp.send('Page.captureScreenshot', {
    format: 'jpeg',
    quality,
    optimizeForSpeed: true,
    clip: {
      x: view.pageX,
      y: view.pageY,
      width: view.clientWidth,
      height: view.clientHeight,
      scale: Math.min(1, widthPx / view.clientWidth),
    },
  })) as Answer<'Page.captureScreenshot'>
  return data
}
