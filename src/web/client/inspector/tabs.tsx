import { type ComponentChildren, useEffect, useRef, useState } from '../view.ts'

export interface Tab {
  readonly id: string
  readonly name: string
  /** How much is in it; `null`: that is not known before it is opened. */
  readonly count: number | null
  /** What a reader finds out here. */
  readonly question: string
  readonly content: ComponentChildren
}

interface TabsProps {
  readonly label: string
  /** Never empty. */
  readonly tabs: readonly Tab[]
  /** The id of the one that is open, if it is there; otherwise the first is. */
  readonly chosen: string
  choose(id: string): void
}

/** Parts of a page of which one is there at a time: arrow keys, Home and End lead from tab to tab. */
export function Tabs({ label, tabs, chosen, choose }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  const at = Math.max(
    0,
    tabs.findIndex(({ id }) => id === chosen),
  )
  const open = tabs[at] as Tab
  // On a phone they scroll sideways.
  useEffect(() => {
    const { current } = list
    const tab = current?.children[at]
    if (current && tab instanceof HTMLElement)
      current.scrollLeft = tab.offsetLeft - current.offsetLeft + (tab.offsetWidth - current.clientWidth) / 2
  }, [at])
  const press = (event: KeyboardEvent) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const index = to % tabs.length
    choose(tabs.at(index)?.id ?? '')
    const button = list.current?.children[index < 0 ? index + tabs.length : index]
    if (button instanceof HTMLElement) button.focus()
  }
  return (
    <>
      <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={press}>
        {tabs.map(({ id, name, count, question }) => (
          <button
            key={id}
            id={`tab-${id}`}
            type="button"
            role="tab"
            tabIndex={id === open.id ? 0 : -1}
            aria-selected={id === open.id}
            aria-controls={id === open.id ? 'panel' : undefined}
            data-sentence={question}
            onClick={() => choose(id)}
          >
            {name} {count === null ? null : <span class="quiet">{count.toLocaleString('en')}</span>}
          </button>
        ))}
      </div>
      <div key={open.id} id="panel" role="tabpanel" aria-labelledby={`tab-${open.id}`}>
        {open.content}
      </div>
    </>
  )
}

const namedTab = (): string => new URLSearchParams(location.search).get('tab') ?? ''

/** The tab that the address of the page names, which follows what is opened. */
export function useTab(): readonly [string, (id: string) => void] {
  const [chosen, setChosen] = useState(namedTab)
  useEffect(() => {
    const follow = () => setChosen(namedTab())
    addEventListener('popstate', follow)
    return () => removeEventListener('popstate', follow)
  }, [])
  const choose = (id: string) => {
    const address = new URL(location.href)
    address.searchParams.set('tab', id)
    history.replaceState(null, '', address)
    setChosen(id)
  }
  return [chosen, choose]
}
