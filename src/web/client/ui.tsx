import { SEARCH_CHARS_MAX } from '../../wire/limits.ts'
import { partsOf } from '../highlight.ts'
import { ago, localTime } from './format.ts'
import { Icon, type IconName } from './icons.tsx'
import { type ComponentChildren, render, useEffect, useLayoutEffect, useRef, useState } from './view.ts'

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
  readonly kind?: 'main' | 'plain' | 'danger' | 'link' | undefined
  readonly disabled?: boolean
  readonly label?: string
  /** Whether what it turns is on; without it, it is no switch. */
  readonly isOn?: boolean
  /** Whether what it opens below itself is open. */
  readonly isOpen?: boolean
  readonly children?: ComponentChildren
}

/** A button whose action may take a moment: it cannot be pressed again meanwhile. */
export function Button(props: ButtonProps & { readonly act: () => unknown }) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    const acting = props.act()
    // What opens at once gives the focus back to this button, which must be able to take it.
    if (!(acting instanceof Promise)) return
    setBusy(true)
    await acting.finally(() => setBusy(false))
  }
  return (
    <button
      type="button"
      {...(props.isOn === undefined
        ? { class: props.kind ?? 'plain' }
        : { class: 'switch', role: 'switch', 'aria-checked': props.isOn })}
      aria-label={props.label}
      aria-expanded={props.isOpen}
      disabled={props.disabled === true || isBusy}
      onClick={press}
    >
      {props.icon ? <Icon name={props.icon} /> : null} {props.children}
    </button>
  )
}

/** A button that asks before it ends something. */
export function ConfirmButton(props: ButtonProps & { readonly question: string; readonly act: () => unknown }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button {...props} act={() => setAsking(true)} />
      {isAsking ? (
        <Confirm question={props.question} words={props.children} act={props.act} close={() => setAsking(false)} />
      ) : null}
    </>
  )
}

interface DialogProps {
  readonly label: string
  readonly children: ComponentChildren
  /** Called when its reader leaves it. */
  close(): void
}

/** A dialog that is open for as long as it is on the page. What had the focus before has it again afterwards. */
export function Dialog({ label, children, close }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => current?.close()
  }, [])
  return (
    <dialog ref={dialog} class="asks" aria-label={label} onClose={close}>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  readonly question: string
  /** What the button says that agrees. */
  readonly words: ComponentChildren
  act(): unknown
  close(): void
}

function Confirm({ question, words, act, close }: ConfirmProps) {
  const agree = () => {
    close()
    return act()
  }
  return (
    <Dialog label={question} close={close}>
      <p>{question}</p>
      <div class="actions">
        <Button kind="danger" act={agree}>
          {words}
        </Button>
        <Button act={close}>Cancel</Button>
      </div>
    </Dialog>
  )
}

export interface MenuItem {
  readonly words: string
  /** It ends something: it is red, and asked before. */
  readonly ends?: boolean
  readonly question?: string
  act(): unknown
}

interface MenuProps {
  /** What the items are about. */
  readonly of: string
  readonly items: readonly MenuItem[]
}

/** What else can be done with a row, behind one button. */
export function Menu({ of, items }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [asked, setAsked] = useState<MenuItem | null>(null)
  useEffect(() => {
    if (button.current) button.current.popoverTargetElement = list.current
  }, [])
  /** It is above all boxes that scroll, and stays with its button when the page does. */
  const place = () => {
    const { bottom, right } = (button.current as HTMLElement).getBoundingClientRect()
    const { style } = list.current as HTMLElement
    style.top = `${bottom + scrollY}px`
    style.right = `${document.documentElement.clientWidth - right}px`
  }
  const choose = (item: MenuItem) => () => {
    list.current?.hidePopover()
    return item.question === undefined ? item.act() : setAsked(item)
  }
  return (
    <>
      <button ref={button} type="button" class="plain dots" aria-label={`More for ${of}`}>
        <Icon name="dots" />
      </button>
      <div ref={list} class="menu" popover="auto" onBeforeToggle={place}>
        {items.map((item) => (
          <Button key={item.words} kind={item.ends ? 'danger' : 'plain'} act={choose(item)}>
            {item.words}
          </Button>
        ))}
      </div>
      {asked?.question === undefined ? null : (
        <Confirm question={asked.question} words={asked.words} act={asked.act} close={() => setAsked(null)} />
      )}
    </>
  )
}

interface CopyButtonProps extends Pick<ButtonProps, 'kind'> {
  readonly text: string
  readonly children: ComponentChildren
}

export function CopyButton({ text, kind, children }: CopyButtonProps) {
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
      <Button kind={kind} icon={said === 'Copied' ? 'check' : 'copy'} act={copy}>
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

/** `KL-001-3402`: letters and digits with hyphens, short enough for a line of a phone. */
const CODE = /(?<!-)(\b(?=[\w-]*\d)\w+(?:-\w+)+\b)(?!-)/
const CODE_CHARS_MAX = 24

/** Text whose order numbers, dates and the like are not broken at their hyphens. */
export const Words = ({ text }: { readonly text: string }) => (
  <>
    {text.split(CODE).map((part, at) =>
      at % 2 === 0 || part.length > CODE_CHARS_MAX ? (
        part
      ) : (
        <span key={part} class="code-word">
          {part}
        </span>
      ),
    )}
  </>
)

/** An address that is broken behind its slashes, where it has to be. */
export const Address = ({ text }: { readonly text: string }) => (
  <>{text.split(/(?<=[^/]\/)(?=[^/])/).flatMap((part, at) => (at === 0 ? [part] : [<wbr key={part} />, part]))}</>
)

/** JSON to be copied, as the docs show it. */
export const CodeBox = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div class="code-box">
    <div class="head">
      <span class="title">{label}</span>
      <CopyButton text={text}>Copy</CopyButton>
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
    {/* biome-ignore lint/a11y/useSemanticElements: no set of fields */}
    <pre tabIndex={0} role="group" aria-label={label}>
      <code>
        {partsOf(text, 'json').map(([kind, part], at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
          <span key={at} class={kind}>
            {part}
          </span>
        ))}
      </code>
    </pre>
  </div>
)

interface FactProps {
  readonly name: ComponentChildren
  readonly children: ComponentChildren
}

/** A fact of a list of them: what it is called, and what it is. */
export const Fact = ({ name, children }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

interface EmptyProps {
  /** What is not there yet. */
  readonly title: string
  readonly icon: IconName
  readonly children: ComponentChildren
  /** The button that makes the first one. */
  readonly action?: ComponentChildren
}

/** Stands where nothing is yet: what it is for, and how the first one comes about. */
export const Empty = ({ title, icon, children, action }: EmptyProps) => (
  <div class="empty first">
    <span class="mark">
      <Icon name={icon} />
    </span>
    <h2>{title}</h2>
    {children}
    {action}
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
  /** The button that makes another of what the page lists. */
  readonly action?: ComponentChildren
}

/** The beginning of a page: what it shows, where to read more, and what went wrong with it. */
export const PageHead = ({ failed, docs: [href, words], children, action }: PageHeadProps) => (
  <>
    <Failure message={failed} />
    <p class="lead">
      {children} <a href={href}>{words}</a>
    </p>
    <TitleActions>{action}</TitleActions>
  </>
)

/** What is done with the whole page: stands beside its title, which the service has written. */
export function TitleActions({ children }: { readonly children: ComponentChildren }) {
  const put = (shown: ComponentChildren) => {
    const place = document.getElementById('title-actions')
    if (place) render(shown, place)
  }
  useLayoutEffect(() => put(children))
  useLayoutEffect(() => () => put(null), [])
  return null
}

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

interface FileFieldProps {
  readonly label: string
  readonly files: readonly File[]
  change(files: readonly File[]): void
}

/** Files that were chosen, by name, and the button that chooses others. */
export const FileField = ({ label, files, change }: FileFieldProps) => (
  <label class="whole file">
    {label}
    <input
      name="files"
      type="file"
      multiple
      onChange={({ currentTarget }) => change([...(currentTarget.files ?? [])])}
    />
    <span class="button plain">
      <Icon name="file" /> {files.length === 0 ? 'Choose files' : files.map(({ name }) => name).join(', ')}
    </span>
  </label>
)
