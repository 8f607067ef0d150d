import { useEffect, useRef, useState } from '../view.ts'

export type StreamState = 'connecting' | 'live' | 'paused' | 'refused'

/** What is called with what a stream says; `open` whenever it begins anew. */
export type Hearers = Readonly<Record<string, (data: never) => void>>

/**
 * Reads Server-Sent Events while the page is in sight: one that nobody sees costs the service nothing. `path` is `null`:
 * there is nothing to read.
 */
export function useStream(path: string | null, isPaused: boolean, hearers: Hearers): StreamState {
  const isVisible = useVisible()
  const [state, setState] = useState<StreamState>('connecting')
  const current = useRef(hearers)
  current.current = hearers
  useEffect(() => {
    if (path === null || isPaused || !isVisible) return setState('paused')
    setState('connecting')
    const source = new EventSource(path)
    const hear = (name: string, data: unknown) => current.current[name]?.(data as never)
    source.addEventListener('open', () => {
      setState('live')
      hear('open', null)
    })
    source.addEventListener('error', () =>
      setState(source.readyState === EventSource.CLOSED ? 'refused' : 'connecting'),
    )
    for (const name of Object.keys(current.current)) {
      if (name !== 'open') source.addEventListener(name, ({ data }: MessageEvent) => hear(name, JSON.parse(data)))
    }
    return () => source.close()
  }, [path, isPaused, isVisible])
  return state
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const note = () => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', note)
    return () => document.removeEventListener('visibilitychange', note)
  }, [])
  return isVisible
}
