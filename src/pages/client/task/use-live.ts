import { streamedEvents } from '../../../wire/event-stream.ts'
import { useEffect, useRef, useState } from '../view.ts'

/** How long until a stream that was lost is opened again. */
const AGAIN_MS = 2_000
/** Statuses after which it is not: the task has ended, or its browser cannot show its tabs. */
const OVER = [204, 404]

/**
 * Draws what the browser shows on a canvas, while `isOn` and the page is in front. Nobody looks otherwise, and nothing is
 * sent. `isShown`: something was drawn.
 */
export function useLive(taskId: string, workspaceId: string, isOn: boolean) {
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
      void look(taskId, workspaceId, stop.signal, async (jpeg) => {
        if (await draw(canvas.current, jpeg)) setShown(true)
      })
    }
    change()
    document.addEventListener('visibilitychange', change)
    return () => {
      document.removeEventListener('visibilitychange', change)
      stop?.abort()
    }
  }, [taskId, workspaceId, isOn])
  return { canvas, isShown }
}

/** Gives every picture to `see` until the signal aborts; never rejects. */
async function look(
  taskId: string,
  workspaceId: string,
  signal: AbortSignal,
  see: (jpeg: string) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const headers = { accept: 'text/event-stream', 'x-workspace-id': workspaceId }
      const answer = await fetch(`/v1/tasks/${taskId}/live`, { headers, signal })
      if (OVER.includes(answer.status)) return
      if (answer.ok && answer.body) {
        for await (const { data } of streamedEvents(answer.body)) {
          await see((JSON.parse(data) as { readonly jpeg: string }).jpeg)
        }
      }
    } catch {
      // Lost, or nobody looks any more.
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
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
