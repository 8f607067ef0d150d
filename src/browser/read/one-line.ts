import { collapse } from './dom.ts'
import { isFrame } from './elements.ts'
import type { Item } from './item.ts'
import type { Reaction } from './reacts.ts'
import { isControl } from './roles.ts'

/** Containers that only hold things together: what is in them is told without a line of theirs, unless it is much. */
const HOLDERS = /^(list|group|figure|listitem)$/

const HELD_LINES_MIN = 12

export function addsNothing(item: Item, children: readonly Item[]): boolean {
  const { role, name, states, description, actionable, element } = item
  if (!HOLDERS.test(role) || name || description || actionable || states.length > 0 || isFrame(element)) return false
  return role === 'listitem' ? children.length === 1 && children[0]?.role !== 'text' : children.length < HELD_LINES_MIN
}

/** Whose lines may be one with that of the only thing in them, when both are called alike. */
const OUTER = /^(listitem|treeitem|menuitem|tab|option|clickable|hoverable)$/

const INNER = /^(link|button|clickable)$/

const isAlike = (outer: string, inner: string): boolean =>
  outer === 'heading' ? inner === 'button' : OUTER.test(outer) && INNER.test(inner)

/** One line for two things that are one to a person: an item with a link that is called like it has what both can do. */
export function joined(item: Item, reaction: Reaction): Item {
  const [inner, ...others] = item.children
  if (!inner || others.length > 0 || !isAlike(item.role, inner.role) || inner.children.length > 0) return item
  if (collapse(item.name || inner.name) !== collapse(inner.name)) return item
  const own = item.states.filter((state) => !inner.states.includes(state))
  const description = inner.description || item.description
  if (isControl(item.role))
    return { ...item, ...placeOf(inner), description, url: inner.url, states: [...own, ...inner.states] }
  return { ...inner, description, states: [...inner.states, ...own, ...(reaction === 'hover' ? ['hoverable'] : [])] }
}

/** Where it is acted on: the inner thing reacts, and need not fill the outer one. */
const placeOf = ({ node, element, inView }: Item) => ({ node, element, inView, children: [] })
