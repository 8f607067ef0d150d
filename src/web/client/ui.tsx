import { SEARCH_CHARS_MAX } from '../../wire/limits.ts'
import { ago, localTime } from './format.ts'
import { Icon, type IconName } from './icons.tsx'
import { type ComponentChildren, useEffect, useRef, useState } from './view.ts'

const SECOND_MS = 1_000
const COPIED_MS = 2_000

/** The present time, each second while `ticks`. */
export function useNow(ticks: boolean): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (!ticks) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS)
    return () => clearInterval(timer)
  }, [ticks])
  return now
}

/** A moment as `2 minutes ago`; the whole date is its title. */
export const Ago = ({ at, now }: { readonly at: number; readonly now: number }) => (
  <time dateTime={new Date(at).toISOString()} title={localTime(at)}>
    {ago(at, now)}
  </time>
)

export type Tone = 'run' | 'wait' | 'good' | 'bad' | 'plain'

/** A state: its colour, an icon and a word, so that it is readable without colours. */
export const Badge = (props: {
  readonly tone: Tone
  readonly icon: IconName
  readonly children: ComponentChildren
}) => (
  <span class={`badge ${props.tone}`}>
    <Icon name={props.icon} /> {props.children}
  </span>
)

interface ButtonProps {
  readonly icon?: IconName
  readonly kind?: 'main' | 'plain' | 'danger' | 'link'
  readonly disabled?: boolean
  readonly label?: string
  readonly children: ComponentChildren
}

/** A button whose action may take a moment: it cannot be pressed again meanwhile. */
export function Button(props: ButtonProps & { readonly act: () => unknown }) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    setBusy(true)
    try {
      await props.act()
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type="button"
      class={props.kind ?? 'plain'}
      aria-label={props.label}
      disabled={props.disabled === true || isBusy}
      onClick={press}
    >
      {props.icon ? <Icon name={props.icon} /> : null} {props.children}
    </button>
  )
}

/** A button that asks before it ends something. */
export function ConfirmButton(props: ButtonProps & { readonly question: string; readonly act: () => unknown }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const agree = () => {
    dialog.current?.close()
    return props.act()
  }
  return (
    <>
      <Button {...props} act={() => dialog.current?.showModal()} />
      <dialog ref={dialog} class="confirm" aria-label={props.question}>
        <p>{props.question}</p>
        <div class="row">
          <Button kind="danger" act={agree}>
            {props.children}
          </Button>
          <Button act={() => dialog.current?.close()}>Cancel</Button>
        </div>
      </dialog>
    </>
  )
}

export function CopyButton({ text, children }: { readonly text: string; readonly children: ComponentChildren }) {
  const [said, setSaid] = useState<string | null>(null)
  const copy = async () => {
    // Only secure pages have a clipboard.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    setSaid(copied ? 'Copied' : 'Copying is not allowed here')
    setTimeout(() => setSaid(null), COPIED_MS)
  }
  return (
    <>
      <Button icon={said === 'Copied' ? 'check' : 'copy'} act={copy}>
        {said ?? children}
      </Button>
      <span class="hidden" role="status">
        {said}
      </span>
    </>
  )
}

/** Text as it is; what is long scrolls, also by keyboard. */
export const Pre = ({ label, children }: { readonly label: string; readonly children: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
  // biome-ignore lint/a11y/useSemanticElements: no set of fields
  <pre tabIndex={0} role="group" aria-label={label}>
    {children}
  </pre>
)

interface EmptyProps {
  /** What is not there yet. */
  readonly title: string
  readonly icon: IconName
  readonly children: ComponentChildren
}

/** Stands where nothing is yet: what it is for, and how the first one comes about. */
export const Empty = ({ title, icon, children }: EmptyProps) => (
  <div class="empty">
    <h2>
      <Icon name={icon} /> {title}
    </h2>
    {children}
  </div>
)

/** What went wrong, said at once. */
export const Failure = ({ message }: { readonly message: string | null }) =>
  message === null ? null : <p role="alert">{message}</p>

interface PageHeadProps {
  readonly failed: string | null
  /** Where the docs say more: an address and its words. */
  readonly docs: readonly [href: string, words: string]
  /** What the page shows, in one sentence. */
  readonly children: ComponentChildren
}

/** The beginning of a page: what it shows, where to read more, and what went wrong with it. */
export const PageHead = ({ failed, docs: [href, words], children }: PageHeadProps) => (
  <>
    <Failure message={failed} />
    <p class="lead">
      {children} <a href={href}>{words}</a>
    </p>
  </>
)

/** Stands where an answer will be; or what went wrong with it. */
export const Loading = ({ failed }: { readonly failed: string | null }) =>
  failed === null ? <p class="loading">Loading …</p> : <Failure message={failed} />

interface MadeProps {
  readonly label: string
  readonly text: string
  readonly children: ComponentChildren
}

/** What was made just now and is shown this once, to be copied. */
export const Made = ({ label, text, children }: MadeProps) => (
  <div class="made" role="status">
    <p>{children}</p>
    <Pre label={label}>{text}</Pre>
    <p>
      <CopyButton text={text}>Copy</CopyButton>
    </p>
  </div>
)

/** What may be wider than the page scrolls, also by keyboard. */
export const Scrolling = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
  <section class="table" aria-label={label} tabIndex={0}>
    {children}
  </section>
)

interface SelectProps {
  readonly label: string
  readonly id?: string
  readonly name?: string
  readonly value: string
  readonly disabled?: boolean
  readonly options: readonly (readonly [value: string, words: string])[]
  change(value: string): void
}

/** A choice of one, with its label. */
export const Select = ({ label, options, change, ...field }: SelectProps) => (
  <label for={field.id}>
    {label}
    <select {...field} onChange={({ currentTarget }) => change(currentTarget.value)}>
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  </label>
)

interface SearchFieldProps {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly placeholder: string
  change(value: string): void
}

/** What is looked for among the rows of a page. */
export const SearchField = ({ label, change, ...field }: SearchFieldProps) => (
  <label for={field.id}>
    {label}
    <input
      {...field}
      type="search"
      maxLength={SEARCH_CHARS_MAX}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
)
