import type { Target } from '../../../machines/recipe.ts'

/**
 * What goes between the tools and the reader that runs in each document. Types only: the reader knows the page's
 * elements and nothing of the tools, and the tools nothing of elements.
 */

export interface ReadOptions {
  /** Stands before every reference: `''` in the main frame, `f2` in another. */
  readonly prefix: string
  /** The number of the next reference. */
  readonly nextRef: number
  /** The lines that are returned have at most this many characters. */
  readonly maxChars: number
  /** Which part of a document that is longer: a page from 1, or what is in view. */
  readonly page: number | 'view'
  readonly interactive: boolean
  /** Only this element and what is inside it, with everything that it holds. */
  readonly element?: number
  /** Addresses of this origin are shown without it. */
  readonly origin: string
}

/** A line of the tree. */
export interface ReadLine {
  /** Of the element or text, for as long as the document lives. */
  readonly key: number
  readonly depth: number
  readonly text: string
  /** `null` where the line shows none. */
  readonly ref: string | null
  readonly actionable: boolean
  readonly inView: boolean
  /** It came, or changed, since the last look. */
  readonly isNew: boolean
  /** The number of the frame that this line is the element of. */
  readonly frame?: number
}

export interface ReadResult {
  readonly title: string
  readonly url: string
  readonly lines: readonly ReadLine[]
  /** Lines left out before and after; an estimate for long lists. */
  readonly before: number
  readonly after: number
  readonly page: number
  readonly pages: number
  readonly nextRef: number
  /** Names the state of the document: what is there, what it holds, how far it is scrolled. */
  readonly fingerprint: string
  /** Elements that may have a closed shadow root which the reader does not know yet. */
  readonly suspects: number
  /** What kind of document it is: `application/pdf`. */
  readonly contentType: string
  /** The element that was asked for is no longer there. */
  readonly isGone: boolean
  /** The document is so large that not all of it was read in time. */
  readonly isCut: boolean
  /** Elements that could not be read, with all that is in them. */
  readonly unread: number
}

export interface FindOptions {
  readonly query: string
  readonly prefix: string
  readonly nextRef: number
  readonly max: number
  readonly origin: string
}
export interface Found {
  readonly score: number
  /** It can be used, and is called just as the query says. */
  readonly isExact: boolean
  readonly text: string
  /** The row, item or section that it is in. */
  readonly place: string
}
export interface FindResult {
  /** Best first. */
  readonly found: readonly Found[]
  /** Frames that are drawn in the document. */
  readonly frames: readonly number[]
  readonly nextRef: number
  readonly suspects: number
  readonly isCut: boolean
}

/** [J3] */
export interface CandidateOptions {
  readonly target: Target
  readonly nextRef: number
}
export interface Candidates {
  readonly found: readonly { readonly number: number; readonly target: Target; readonly isDisabled: boolean }[]
  /** Frames that are drawn in the document. */
  readonly frames: readonly number[]
  readonly nextRef: number
  readonly suspects: number
}

/** Text, or the number of a frame whose text belongs here. */
export interface TextResult {
  readonly title: string
  readonly url: string
  readonly parts: readonly (string | number)[]
  readonly suspects: number
  /** What kind of document it is: `application/pdf`. */
  readonly contentType: string
}

/** What a custom element tells assistive technology alone. */
export interface Internals {
  /** As ARIA has it; empty for none. */
  readonly role: string
  readonly name: string
  /** `checked`, `selected`, … as an `aria-` attribute would say. */
  readonly aria: Readonly<Record<string, string>>
}

/** In CSS pixels of the document's viewport. */
export interface AimPoint {
  readonly x: number
  readonly y: number
}

/** An element in view: where a click is one on it, and what it is called. */
export interface Reach {
  readonly at: AimPoint
  readonly label: string
}

/** What a reader answers by value. */
export interface Reader {
  read(options: ReadOptions): ReadResult
  find(options: FindOptions): FindResult
  candidates(options: CandidateOptions): Candidates
  pageText(): TextResult
  look(): void
  labelFor(number: number): string
  /** The number of the frame that has the focus; `null` when something here has it, or nothing. */
  focusedFrame(): number | null
  stateOf(number: number): 'gone' | 'unknown'
  aim(number: number, at: AimPoint | null): AimPoint | null
  reach(number: number): Reach | null
}

/** What a file holds, for a model: its text, or a picture as a JPEG in base64. `null`: nothing that can be read here. */
export type FileContent = { readonly text: string } | { readonly jpeg: string } | null
