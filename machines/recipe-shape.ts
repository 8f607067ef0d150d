import type { Values } from './recipe.ts'
import { filledText } from './recipe-text.ts'

/** [J4] Addresses and lines of pages, as a recipe expects them. */

/** A part of a path that is another one each time. */
const ID =
  /^(?:\d+|[0-9a-f]{8,}|[0-9a-f]{8}-[0-9a-f-]{27}|(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{12,}|[A-Z]{1,5}-?\d{3,}[\w-]*)$/i

/** Origin and path of an address with ids as `*`, and the names in its query; `null`: it is none. */
export function addressShape(address: string): string | null {
  if (!URL.canParse(address)) return null
  const { origin, pathname, searchParams, protocol } = new URL(address)
  if (protocol !== 'http:' && protocol !== 'https:') return protocol
  const path = pathname
    .split('/')
    .map((part) => (ID.test(decoded(part)) ? '*' : decoded(part)))
    .join('/')
  const names = [...new Set(searchParams.keys())].sort()
  return `${origin}${path}${names.length > 0 ? `?${names.join('&')}` : ''}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether an address has the shape, in which ids are `*` and inputs are already in their places. */
export function hasShape(shape: string, address: string): boolean {
  const own = addressShape(address)
  if (own === null) return false
  const [wanted, found] = [shape.split(/(?<!:)[/?](?!\/)/), own.split(/(?<!:)[/?](?!\/)/)]
  return (
    wanted.length === found.length &&
    wanted.every((part, at) => part === '*' || part === found[at] || found[at] === '*')
  )
}

/** A line of the tree without its reference, states and values: role and name, digits as `#`. */
export function lineShape(line: string): string | null {
  const [, role = '', name = ''] = /^\s*(?:[+~*]\s*)*([a-z][a-z ]*?) ("(?:[^"\\]|\\.)*")/.exec(line) ?? []
  if (role === '' || name === '') return null
  return numberless(`${role} ${name}`)
}

export const numberless = (text: string): string =>
  text
    .replaceAll(/\p{N}+(?:[.,:/\p{N}-]*\p{N})?/gu, '#')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Whether one of the expected lines is among those of a page; no line is expected: yes. */
export function hasOneOf(expected: readonly string[], lines: readonly string[]): boolean {
  if (expected.length === 0) return true
  const shapes = new Set(lines.map(lineShape))
  return expected.some((line) => shapes.has(line))
}

/** The expected line with today's inputs in its places. */
export const expectedLine = (line: string, values: Values): string => numberless(filledText(line, values))
