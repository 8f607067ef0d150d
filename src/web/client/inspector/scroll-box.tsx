import { type HTMLAttributes, type Ref, useLayoutEffect, useState } from '../view.ts'

interface ScrollBoxProps extends HTMLAttributes<HTMLDivElement> {
  readonly label: string
  readonly box?: Ref<HTMLDivElement>
}

/** What is long scrolls in its own box, also by keyboard. */
export const ScrollBox = ({ label, box = null, ...more }: ScrollBoxProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
  // biome-ignore lint/a11y/useSemanticElements: no set of fields
  <div {...more} ref={box} class="scroll" tabIndex={0} role="group" aria-label={label} />
)

/** How wide the inside of a box is. */
export function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = box
    if (!current) return
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    setWidth(current.clientWidth)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return width
}
