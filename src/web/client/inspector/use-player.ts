import { useEffect, useRef, useState } from '../view.ts'

const MOVE_MS = 600

/** What takes the keys for itself. */
const TAKES_ARROWS = 'input, textarea, select, [role=region], [role=tablist]'
const TAKES_SPACE = 'input, textarea, select, button, a, summary'

/**
 * Goes through so many moments: by itself, by keys, and to the one that the address names (`#12`, from 1), which follows
 * what is shown. Where the address names none it begins at `first`.
 */
export function usePlayer(count: number, first: number) {
  const [at, setAt] = useState(() => named(count, first))
  const [isPlaying, setPlaying] = useState(false)
  const current = useRef(at)
  current.current = at

  const show = (to: number) => {
    const next = Math.min(count - 1, Math.max(0, to))
    setAt(next)
    history.replaceState(null, '', `#${next + 1}`)
  }
  const go = (to: number) => {
    setPlaying(false)
    show(to)
  }
  const play = () => {
    if (!isPlaying && current.current >= count - 1) show(0)
    setPlaying(!isPlaying)
  }

  useEffect(() => {
    if (!isPlaying) return
    if (at >= count - 1) return setPlaying(false)
    const timer = setTimeout(() => show(at + 1), MOVE_MS)
    return () => clearTimeout(timer)
  }, [isPlaying, at])

  useEffect(() => {
    const followed = () => {
      setPlaying(false)
      setAt(named(count, first))
    }
    addEventListener('hashchange', followed)
    return () => removeEventListener('hashchange', followed)
  }, [count])

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof Element)) return
      const takes = event.key === ' ' ? TAKES_SPACE : TAKES_ARROWS
      const to = placeFor(event.key, current.current, count)
      if ((to === null && event.key !== ' ') || event.target.closest(takes)) return
      event.preventDefault()
      if (to === null) play()
      else go(to)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [isPlaying, at, count])

  return { at, go, isPlaying, play }
}

/** The moment that the address names, or else the first to be shown. */
const named = (count: number, first: number): number =>
  Math.min(count, Math.max(1, Number(location.hash.slice(1)) || first + 1)) - 1

/** Where a key leads; `null`: nowhere. */
function placeFor(key: string, at: number, count: number): number | null {
  if (key === 'ArrowLeft') return at - 1
  if (key === 'ArrowRight') return at + 1
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}
