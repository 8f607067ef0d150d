import type { Target } from './recipe.ts'
import { isSaid } from './recipe-text.ts'

/** [J3] Which of the elements on a page is meant by a target. */

export interface Candidate {
  readonly target: Target
  readonly isDisabled: boolean
}

/** `index` is that of the one candidate that is clearly meant; else why none is. */
export type Choice = { readonly index: number } | { readonly why: 'none' | 'several' | 'disabled' | 'other' }

/** How much better than the next one the best candidate must be. */
const LEAD_MIN = 2
const NAME = 5

/**
 * The one candidate that is clearly the target. Of several with its role and name, one is meant only if it alone is in the
 * same row or item: two equal buttons are never guessed. `isExact`: its name must be the same, as for an act that cannot
 * be undone.
 */
export function chosen(target: Target, candidates: readonly Candidate[], isExact: boolean): Choice {
  const scored = candidates
    .map((candidate, index) => ({ candidate, index, score: scoreOf(target, candidate.target, isExact) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
  const [best, next] = scored
  if (!best) return { why: candidates.length === 0 ? 'none' : 'other' }
  const alike = scored.filter(({ candidate }) => isAlike(candidate.target, best.candidate.target))
  const here = alike.filter(({ candidate }) => placesMatch(target, candidate.target))
  if (alike.length > 1 && alike.length > target.alike && !(here.length === 1 && here[0] === best))
    return { why: 'several' }
  if (next && best.score - next.score < LEAD_MIN) return { why: 'several' }
  return best.candidate.isDisabled ? { why: 'disabled' } : { index: best.index }
}

const isAlike = (one: Target, other: Target): boolean =>
  rolesMatch(one.role, other.role) && plain(one.name) === plain(other.name)

/** It is in the row or item that was meant; a target in neither is in no particular place. */
const placesMatch = (target: Target, found: Target): boolean =>
  (target.row !== undefined || target.item !== undefined) &&
  likeness(target.row, found.row) >= 0 &&
  likeness(target.item, found.item) >= 0

/** 0: it cannot be the target. */
function scoreOf(target: Target, found: Target, isExact: boolean): number {
  if (!rolesMatch(target.role, found.role) || (target.frame === undefined) !== (found.frame === undefined)) return 0
  if (!saysInputs(target, found)) return 0
  const name = nameScore(target.name, found.name)
  if (isExact && name < NAME) return 0
  const same = (key: 'testId' | 'id' | 'attribute' | 'label' | 'type' | 'href' | 'frame' | 'heading' | 'landmark') =>
    target[key] !== undefined && target[key] === found[key]
  const isNamed = same('testId') || (same('id') && isLasting(target.id)) || (same('attribute') && same('type'))
  // Nothing else than its place may have changed, or its name.
  if (name === 0 && !isNamed) return 0
  return (
    name +
    (target.role === found.role ? 2 : 0) +
    (same('testId') ? 4 : 0) +
    (same('id') && isLasting(target.id) ? 3 : 0) +
    (same('attribute') ? 2 : 0) +
    (same('label') ? 2 : 0) +
    (same('type') ? 1 : 0) +
    (same('href') ? 2 : 0) +
    (same('frame') ? 1 : 0) +
    (same('heading') ? 1 : 0) +
    (same('landmark') ? 1 : 0) +
    likeness(target.row, found.row) +
    likeness(target.item, found.item)
  )
}

/** Whether it is worth to look at. */
export const mayBe = (target: Target, found: Target): boolean =>
  scoreOf({ ...target, frame: '' }, { ...found, frame: '' }, false) > 0

/** What is called like an input, or is in its row, is another thing when it is called otherwise: `INV-7` and `inv-7`, too. */
const saysInputs = ({ says }: Target, { name, label = '', row = '', item = '' }: Target): boolean =>
  says === undefined ||
  (says.name.every((value) => isSaid(value, `${name}\n${label}`)) &&
    says.place.every((value) => isSaid(value, `${row}\n${item}`)))

const PRESSED = /^(button|link|clickable|menuitem|tab)$/
const TYPED = /^(textbox|searchbox|combobox)$/
const TOGGLED = /^(checkbox|switch)$/
const rolesMatch = (one: string, other: string): boolean =>
  one === other || [PRESSED, TYPED, TOGGLED].some((kind) => kind.test(one) && kind.test(other))

export const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim()
/** Numbers come and go in names: `Cart (2)`. */
const numberless = (text: string): string => plain(text).replaceAll(/\p{N}+(?:[.,]\p{N}+)*/gu, '#')

function nameScore(wanted: string, found: string): number {
  if (plain(wanted) === '') return plain(found) === '' ? 1 : 0
  if (plain(wanted) === plain(found)) return NAME
  return numberless(wanted) === numberless(found) ? 3 : 0
}

/** Of what an element is in: the same, the same but for its numbers, or something else. */
function likeness(wanted: string | undefined, found: string | undefined): number {
  if (wanted === undefined) return 0
  if (found === undefined) return -2
  if (plain(wanted) === plain(found)) return 5
  return numberless(wanted) === numberless(found) ? 3 : -3
}

/** Frameworks number their ids anew with each build. */
const isLasting = (id: string | undefined): boolean =>
  id !== undefined && !/\d{3,}|[:]|^(?:react|radix|headless|mui|ember|ext)|[a-f0-9]{6,}|_\d+$|-\d+$/i.test(id)
