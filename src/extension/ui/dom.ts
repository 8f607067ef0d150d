import type { Done, FromOwnPage } from '../messages.ts'

/** The element of this id. It is part of the page: without it the page is broken. */
export function element<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The page has no element ${id}`)
  return found as E
}

/** A new element with text in it, never markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  fields: Partial<Pick<HTMLElementTagNameMap[K], 'className' | 'textContent'>> = {},
  ...children: readonly Node[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), fields)
  made.append(...children)
  return made
}

/** Shows the words, or nothing at all for `null`. */
export function say(id: string, words: string | null): void {
  const place = element(id)
  // The same words again would be read aloud again.
  if (place.textContent !== (words ?? '')) place.textContent = words
  place.hidden = words === null
}

/** Tells the worker; resolves to what went wrong, or `null`. */
export async function tell(message: FromOwnPage): Promise<string | null> {
  const { error } = (await chrome.runtime.sendMessage(message)) as Done
  return error
}
