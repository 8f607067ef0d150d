import type { ActorLine } from '../../../../actors/inspection/shown.ts'
import { roughly } from '../format.ts'
import { type ComponentChildren, useEffect, useMemo, useRef, useState } from '../view.ts'
import type { Row } from './actor-rows.ts'
import { ScrollBox } from './scroll-box.tsx'
import { groupTitleOf, type Names, shortOf, standingOf, titleOf, toneOf } from './titles.ts'

/** As style.css has them: of an actor or a group, and of the head of a kind. */
const ROW_PX = 52
const HEAD_PX = 32
/** So few are as long as they are; more scroll in their own box. */
const WHOLE_MAX = 24
/** Rows above and below those in sight, so that a quick hand finds no hole. */
const BEYOND = 8

/** Said, because rows that are laid out as a grid are no rows for some screen readers. */
export const ROLES = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  rowheader: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const

/** What the actors of a kind are. */
const WORDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  task: ['running task', 'running tasks'],
  session: ['paired browser', 'paired browsers'],
  call: ['tool call under way', 'tool calls under way'],
  closing: ['ending being written', 'endings being written'],
  delivery: ['webhook delivery', 'webhook deliveries'],
  workspace: ['workspace in use', 'workspaces in use'],
  shard: ['part of all workspaces', 'parts of all workspaces'],
  service: ['this process', 'processes'],
}

interface ActorListProps {
  readonly rows: readonly Row[]
  readonly focus: string
  readonly now: number
  readonly names: Names
  choose(address: string): void
  /** Opens or closes a kind or a group. */
  toggle(key: string): void
}

/** The list of actors by kind. Only the rows in sight are there: ten thousand that move all the time cost what twenty cost. */
export function ActorList({ rows, focus, now, names, choose, toggle }: ActorListProps) {
  const box = useRef<HTMLDivElement>(null)
  const { top, height } = useScrolled(box)
  const tops = useMemo(() => topsOf(rows), [rows])
  const chosen = useMemo(() => rows.findIndex(({ key }) => key === focus), [rows, focus])
  useEffect(() => {
    if (box.current && chosen >= 0) reveal(box.current, tops[chosen] ?? 0)
  }, [focus, chosen >= 0, height])
  const first = tops.findLastIndex((each) => each <= top)
  const last = tops.findLastIndex((each) => each <= top + height)
  const from = Math.max(0, Math.min(first, rows.length) - BEYOND)
  const seen = rows.slice(from, last + BEYOND)
  const titles = new Map(seen.flatMap((row) => (row.type === 'actor' ? [[row.key, titleOf(row.line, names)]] : [])))
  const padding = {
    paddingTop: `${tops[from]}px`,
    paddingBottom: `${(tops.at(-1) ?? 0) - (tops[from + seen.length] ?? 0)}px`,
  }
  return (
    <ScrollBox box={box} label="Actor list" data-whole={rows.length <= WHOLE_MAX ? '' : undefined}>
      <table {...ROLES.table} aria-rowcount={rows.length + 1}>
        <thead {...ROLES.rowgroup}>
          <tr {...ROLES.row}>
            {['Actor', 'State', 'In state', 'Timeout'].map((name) => (
              <th key={name} {...ROLES.columnheader} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody id="actors" {...ROLES.rowgroup} style={padding}>
          {seen.map((row, index) =>
            row.type === 'actor' ? (
              <ActorRow
                key={row.key}
                line={row.line}
                index={from + index + 2}
                isChosen={row.key === focus}
                now={now}
                title={titleAmong(titles, row.key)}
                choose={choose}
              />
            ) : (
              <HeadRow key={row.key} row={row} index={from + index + 2} names={names} now={now} toggle={toggle} />
            ),
          )}
        </tbody>
      </table>
    </ScrollBox>
  )
}

interface HeadRowProps extends Pick<ActorListProps, 'names' | 'now' | 'toggle'> {
  readonly row: Exclude<Row, { readonly type: 'actor' }>
  readonly index: number
}

/** The head of a kind, or of many actors that do the same: how many, and of these in which states and until when. */
function HeadRow({ row: { type, key, isOpen, lines }, index, names, now, toggle }: HeadRowProps) {
  const count = lines.length
  const isKind = type === 'kind'
  const next = isKind ? Number.POSITIVE_INFINITY : nextDeadlineOf(lines)
  return (
    <tr {...ROLES.row} class={type} aria-rowindex={index}>
      <th {...ROLES.rowheader} scope="row">
        <button type="button" aria-expanded={isOpen} onClick={() => toggle(key)}>
          {isKind ? key : groupTitleOf(lines[0], names)} <span class="quiet">{count.toLocaleString('en')}</span>{' '}
          {isKind ? <span class="quiet">{WORDS[key]?.[count === 1 ? 0 : 1]}</span> : null}
        </button>
      </th>
      {isKind ? null : (
        <>
          <td {...ROLES.cell}>
            <span class={`dot ${toneOf(lines)}`} aria-hidden="true" /> {statesOf(lines)}
          </td>
          <td {...ROLES.cell} />
          <td {...ROLES.cell}>{next === Number.POSITIVE_INFINITY ? '' : `next in ${roughly(next - now)}`}</td>
        </>
      )}
    </tr>
  )
}

/** How many are in which state. */
function statesOf(lines: readonly ActorLine[]): string {
  const counts = new Map<string, number>()
  for (const { words } of lines.map(standingOf)) counts.set(words, (counts.get(words) ?? 0) + 1)
  return [...counts].map(([words, count]) => `${count.toLocaleString('en')} ${words}`).join(', ')
}

/** When the first of them times out. */
const nextDeadlineOf = (lines: readonly ActorLine[]): number =>
  lines.reduce((least, { deadlineAt }) => Math.min(least, deadlineAt ?? least), Number.POSITIVE_INFINITY)

/** Its title; with the end of its id where another row in sight has the same. */
function titleAmong(titles: ReadonlyMap<string, string>, address: string): string {
  const title = titles.get(address) ?? address
  const isAlone = [...titles.values()].filter((each) => each === title).length < 2
  return isAlone ? title : `${title} (${shortOf(address)})`
}

interface ActorRowProps {
  readonly line: ActorLine
  readonly index: number
  readonly isChosen: boolean
  readonly now: number
  readonly title: string
  choose(address: string): void
}

function ActorRow({ line, index, isChosen, now, title, choose }: ActorRowProps) {
  const { address, since, deadlineAt, node } = line
  const { words, tone } = standingOf(line)
  const isRetried = words === 'failed' && deadlineAt !== null
  return (
    <tr {...ROLES.row} class={isChosen ? 'chosen' : ''} aria-rowindex={index}>
      <th {...ROLES.rowheader} scope="row">
        <ActorLink
          address={address}
          choose={choose}
          isChosen={isChosen}
          title={`${title}\n${address}${node === undefined ? '' : ` (on node ${node})`}`}
        >
          {title}
        </ActorLink>
      </th>
      <td {...ROLES.cell}>
        <span class={`dot ${tone}`} aria-hidden="true" />{' '}
        {isRetried ? `${words}, again in ${roughly(deadlineAt - now)}` : words}
      </td>
      {/* A pause is shorter than the state that it came in. */}
      <td {...ROLES.cell}>
        {since === null || line.about?.pausedBy || isRetried ? '' : `for ${roughly(now - since)}`}
      </td>
      <td {...ROLES.cell}>{deadlineAt === null || isRetried ? '' : `${roughly(deadlineAt - now)} left`}</td>
    </tr>
  )
}

interface ActorLinkProps {
  readonly address: string
  readonly isChosen?: boolean
  readonly title?: string
  readonly children?: ComponentChildren
  choose(address: string): void
}

/** Leads to an actor, in this page; in another tab it is a link like any. */
export function ActorLink({ address, isChosen = false, title, children, choose }: ActorLinkProps) {
  const press = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    choose(address)
  }
  return (
    <a
      href={`?actor=${encodeURIComponent(address)}`}
      data-address={address}
      title={title}
      aria-current={isChosen ? 'true' : undefined}
      onClick={press}
    >
      {children ?? address}
    </a>
  )
}

/** How far below the first row each begins, and at last where they end. */
function topsOf(rows: readonly Row[]): readonly number[] {
  const tops = [0]
  for (const { type } of rows) tops.push((tops.at(-1) ?? 0) + (type === 'kind' ? HEAD_PX : ROW_PX))
  return tops
}

/** Brings a row that is out of sight into the middle of the list. */
function reveal(box: HTMLElement, below: number): void {
  const top = (box.querySelector('thead')?.offsetHeight ?? 0) + below
  if (top >= box.scrollTop && top + ROW_PX <= box.scrollTop + box.clientHeight) return
  box.scrollTop = top - (box.clientHeight - ROW_PX) / 2
}

/** Where a box is scrolled to, and how high it is; with the next frame. */
function useScrolled(box: { readonly current: HTMLElement | null }) {
  const [shown, setShown] = useState({ top: 0, height: 0 })
  useEffect(() => {
    const { current } = box
    if (!current) return
    let isDue = false
    const soon = () => {
      if (isDue) return
      isDue = true
      requestAnimationFrame(() => {
        isDue = false
        setShown({ top: current.scrollTop, height: current.clientHeight })
      })
    }
    current.addEventListener('scroll', soon, { passive: true })
    const observer = new ResizeObserver(soon)
    observer.observe(current)
    return () => {
      current.removeEventListener('scroll', soon)
      observer.disconnect()
    }
  }, [])
  return shown
}
