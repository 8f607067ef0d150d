import type { HTMLAttributes, Ref } from '../view.ts'

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
