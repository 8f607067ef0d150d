import type { Api } from '../api.ts'
import { useEffect, useRef, useState } from '../view.ts'

/**
 * Draws what the browser shows on a canvas, while `isOn` and the page is in front. Nobody looks otherwise, and nothing is
 * sent. `isShown`: something was drawn.
 */
export function useLive(api: Api, taskId: string, isOn: boolean) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    setShown(false)
    if (!isOn) return
    let stop: AbortController | null = null
    const change = () => {
      stop?.abort()
      stop = null
      if (document.hidden) return
      stop = new AbortController()
      // Its browser may be unable to show its tabs, or nobody looks any more.
      show(stop.signal).catch(() => {})
    }
    const show = async (signal: AbortSignal) => {
      for await (const { jpeg } of api.tasks.live(taskId, { signal }))
        if (await draw(canvas.current, jpeg)) setShown(true)
    }
    change()
    document.addEventListener('visibilitychange', change)
    return () => {
      document.removeEventListener('visibilitychange', change)
      stop?.abort()
    }
  }, [api, taskId, isOn])
  return { canvas, isShown }
}

/** The page's policy allows no pictures but the service's own files: what was sent is drawn. */
async function draw(canvas: HTMLCanvasElement | null, jpeg: string): Promise<boolean> {
  const context = canvas?.getContext('2d')
  if (!canvas || !context) return false
  const bytes = Uint8Array.from(atob(jpeg), (char) => char.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' })).catch(() => null)
  if (!image) return false
  if (canvas.width !== image.width || canvas.height !== image.height) {
    canvas.width = image.width
    canvas.height = image.height
  }
  context.drawImage(image, 0, 0)
  image.close()
  return true
}
