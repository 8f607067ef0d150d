import { OUTPUT_CHARS_MAX } from '../../../../machines/limits.ts'
import type { ReadLine, ReadOptions, ReadResult } from '../../read/types.ts'
import type { PageFrame } from '../frames.ts'
import { type Call, readable } from '../page.ts'
import { PDF } from '../pdf.ts'
import { parseRef, stale, unknown } from '../refs.ts'
import { ask, askPrepared } from './reader.ts'

export interface TreeOptions {
  /** Only what can be used. */
  readonly interactive?: boolean
  /** Only this element and what is inside it. */
  readonly ref?: string
  /** Of a tree that is too long for `maxChars`: a page from 1. What is in view when left out. */
  readonly page?: number
  readonly maxChars?: number
  /** As it is: another page may be on its way, and be held. */
  readonly asIs?: boolean
  /** The model asked to see the page: what comes after this is marked as new the next time. */
  readonly isLook?: boolean
}

/** A line of a tree; its key tells it from all others of the page for as long as their documents live. */
export interface TreeLine extends Omit<ReadLine, 'key' | 'frame'> {
  readonly key: string
}

/** What is on a page, all frames together, or as much of it as there was room for. */
export interface Tree {
  readonly title: string
  readonly url: string
  readonly lines: readonly TreeLine[]
  /** Lines left out before and after these. */
  readonly before: number
  readonly after: number
  /** Which page of how many these lines are. */
  readonly page: number
  readonly pages: number
  /** Another one means that something is there, holds something or is somewhere else. */
  readonly fingerprint: string
  /** What could not be read, in sentences. */
  readonly notes: readonly string[]
}

/** Frames within a page have this share of the room together, when there is not room for all. */
const FRAMES_SHARE = 0.4
const FRAME_CHARS_MIN = 1_000
const FRAME_DEPTH_MAX = 5

/** Reads the page with its frames and shadow trees, as soon as it is parsed. */
export async function readTree(call: Call, options: TreeOptions = {}): Promise<Tree> {
  if (!options.asIs) await readable(call)
  await call.page.frames.list(call)
  const reading = new Reading(call, options)
  const tree = await reading.run()
  if (options.isLook) await reading.look()
  return tree
}

/** Names the state of the page: its address, what is there, what fields hold, how far it is scrolled. */
export const fingerprintOf = async (call: Call): Promise<string> => (await readTree(call, { maxChars: 1 })).fingerprint

interface Part {
  readonly lines: readonly TreeLine[]
  readonly chars: number
}

class Reading {
  readonly #call: Call
  readonly #options: TreeOptions
  readonly #frames: PageFrame[] = []
  readonly #prints: string[] = []
  readonly #notes: string[] = []

  constructor(call: Call, options: TreeOptions) {
    this.#call = call
    this.#options = options
  }

  async run(): Promise<Tree> {
    const { maxChars = OUTPUT_CHARS_MAX, page = 'view', ref } = this.#options
    const { frame, element } = await this.#scope(ref)
    let result = await this.#read(frame, { maxChars, page, ...(element === undefined ? {} : { element }) })
    if (!result) throw new Error('The page went away while it was read')
    if (result.isGone && ref !== undefined) throw stale(ref)
    const holder = result.lines.length === 1 ? result.lines[0]?.frame : undefined
    if (holder !== undefined) return this.#frameTree(result, holder, maxChars, page)
    let inner = await this.#inside(frame, result, maxChars, 0)
    if (sizeOf(result) + inner.chars > maxChars && inner.chars > 0) {
      const room = Math.max(FRAME_CHARS_MIN, maxChars - Math.min(inner.chars, maxChars * FRAMES_SHARE))
      result =
        (await this.#read(frame, { maxChars: room, page, ...(element === undefined ? {} : { element }) })) ?? result
      inner = await this.#inside(frame, result, maxChars * FRAMES_SHARE, 0)
    }
    return this.#tree(result, inner.lines)
  }

  async look(): Promise<void> {
    await Promise.all(this.#frames.map((frame) => ask(this.#call, frame, 'look').catch(() => {})))
  }

  /** The element of a frame alone: what is in the frame, with all the room. */
  async #frameTree(result: ReadResult, number: number, maxChars: number, page: number | 'view'): Promise<Tree> {
    const frame = await this.#call.page.frames.numbered(this.#call, number)
    const read = frame && (await this.#read(frame, { maxChars, page }))
    if (!read) return this.#tree(result, [])
    const { lines } = await this.#inside(frame, read, maxChars * FRAMES_SHARE, 0)
    return this.#tree({ ...read, title: result.title, url: result.url }, lines)
  }

  #tree(result: ReadResult, lines: readonly TreeLine[]): Tree {
    const { title, before, after, page, pages } = result
    const url = this.#call.page.loading.toldUrl(result.url)
    const fingerprint = this.#prints.join('.')
    return { title, url, lines, before, after, page, pages, fingerprint, notes: this.#notes }
  }

  /** The lines of a document with those of its frames in their places. */
  async #inside(frame: PageFrame, result: ReadResult, room: number, depth: number): Promise<Part> {
    const numbers = result.lines.flatMap((line) => line.frame ?? [])
    const share = Math.max(FRAME_CHARS_MIN, Math.floor(room / Math.max(1, numbers.length)))
    const parts = new Map<number, Part>()
    await Promise.all(
      numbers.map(async (number) => {
        const child = this.#call.page.frames.known(number)
        const read =
          child && depth < FRAME_DEPTH_MAX ? await this.#read(child, { maxChars: share, page: 'view' }) : null
        if (!child || !read) return
        const part = await this.#inside(child, read, share, depth + 1)
        parts.set(number, { lines: part.lines, chars: part.chars + sizeOf(read) })
        if (read.before + read.after > 0) {
          const holder = result.lines.find((line) => line.frame === number)?.ref ?? ''
          this.#notes.push(`${read.before + read.after} more lines are in the frame ${holder}: read it with ref.`)
        }
      }),
    )
    let chars = 0
    const lines = result.lines.flatMap(({ frame: number, key, ...line }): TreeLine[] => {
      const part = number === undefined ? undefined : parts.get(number)
      chars += part?.chars ?? 0
      const inner = (part?.lines ?? []).map((each) => ({
        ...each,
        depth: each.depth + (this.#options.interactive ? 0 : line.depth + 1),
      }))
      return [{ ...line, key: `${frame.number ?? ''}:${key}` }, ...inner]
    })
    return { lines, chars }
  }

  async #read(frame: PageFrame, how: Pick<ReadOptions, 'maxChars' | 'page' | 'element'>): Promise<ReadResult | null> {
    const result = await askPrepared(this.#call, frame, () => {
      const asked: ReadOptions = {
        ...how,
        interactive: this.#options.interactive ?? false,
        ...refsOf(this.#call, frame),
      }
      return ask(this.#call, frame, 'read', asked)
    })
    if (!result) return null
    if (frame.number === null) this.#call.page.counter.next = result.nextRef
    if (!this.#frames.includes(frame)) {
      this.#frames.push(frame)
      this.#prints.push(result.fingerprint)
      if (result.contentType === PDF && frame.number === null)
        this.#notes.push('This is a PDF: get_page_text reads it.')
      if (result.unread > 0) this.#notes.push('A part of the page could not be read: take a screenshot.')
      if (result.isCut) this.#notes.push('The page is so large that not all of it could be read in time.')
    }
    return result
  }

  async #scope(ref: string | undefined): Promise<{ frame: PageFrame; element?: number }> {
    const { frames } = this.#call.page
    if (ref === undefined) return { frame: await frames.main(this.#call) }
    const parsed = parseRef(ref)
    if (!parsed) throw unknown(ref)
    const frame = await frames.numbered(this.#call, parsed.frame)
    if (!frame)
      throw parsed.frame !== null && parsed.frame < this.#call.page.counter.nextFrame ? stale(parsed.ref) : unknown(ref)
    return { frame, element: parsed.element }
  }
}

/** How references are written in a frame, and where its addresses are. */
export function refsOf(
  { page }: Call,
  { number, url }: PageFrame,
): { prefix: string; nextRef: number; origin: string } {
  return {
    prefix: number === null ? '' : `f${number}`,
    nextRef: number === null ? page.counter.next : 1,
    origin: URL.canParse(url) ? new URL(url).origin : 'null',
  }
}

const sizeOf = ({ lines }: ReadResult): number =>
  lines.reduce((sum, { text, depth }) => sum + text.length + depth * 2 + 1, 0)
