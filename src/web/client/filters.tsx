import { Icon } from './icons.tsx'
import { Button } from './ui.tsx'
import { type ComponentChildren, useState } from './view.ts'

interface FiltersProps {
  /** How many are set. */
  readonly chosen: number
  /** What is always in sight, such as the search. */
  readonly before?: ComponentChildren
  readonly after?: ComponentChildren
  /** The fields that one button opens; none: there is no button. */
  readonly children?: ComponentChildren
  /** What is set, each with what unsets it. */
  readonly chips?: readonly { readonly words: string; remove(): void }[]
  /** How many rows fit. */
  readonly found?: string
  clear(): void
}

/** What a list is narrowed by: one button opens the fields and says how many are set, another sets none. */
export function Filters({ chosen, before, after, children, chips = [], found, clear }: FiltersProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <search>
      <form class="filters row" onSubmit={(event) => event.preventDefault()}>
        {before}
        {children === undefined ? null : (
          <button
            type="button"
            class="plain"
            aria-expanded={isOpen}
            aria-controls="filters"
            onClick={() => setOpen(!isOpen)}
          >
            Filters{chosen === 0 ? '' : ` (${chosen})`}
          </button>
        )}
        {chips.map(({ words, remove }) => (
          <button key={words} type="button" class="plain set" onClick={remove}>
            {words} <span class="hidden">(remove)</span> <Icon name="cross" />
          </button>
        ))}
        {chosen === 0 ? null : (
          <Button kind="link" act={clear}>
            Clear all
          </Button>
        )}
        <p class="quiet" role="status">
          {found}
        </p>
        <div id="filters" class="more" hidden={!isOpen}>
          {children}
        </div>
        {after}
      </form>
    </search>
  )
}

interface DateFieldProps {
  readonly id: string
  readonly label: string
  /** `2026-11-26`, or nothing. */
  readonly value: string
  change(day: string): void
}

/** A day in the reader's own time zone. */
export const DateField = ({ label, change, ...field }: DateFieldProps) => (
  <label for={field.id}>
    {label}
    <input {...field} type="date" onChange={({ currentTarget }) => change(currentTarget.value)} />
  </label>
)

/** The first moment of a day, or of the one after so many days. Without a day, or what is none: `undefined`. */
export function startOf(day: string, after = 0): number | undefined {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const at = new Date(year, month - 1, date + after).getTime()
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(at) ? at : undefined
}
