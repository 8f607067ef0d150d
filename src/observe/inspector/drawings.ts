import { readFile } from 'node:fs/promises'
import type { Sentences } from '../../../actors/inspection/shown.ts'
import { once } from '../../config/once.ts'
import { MACHINES } from './machines.ts'

export interface Drawings {
  /** The names of all machines. */
  readonly names: readonly string[]
  /** The statechart of a machine as SVG, as `npm run docs` drew it; `null` for an unknown name. */
  svg(name: string): Promise<string | null>
  /** What the states, events and guards of the machines mean. */
  sentences(): Promise<Readonly<Record<string, Sentences>>>
}

/** The statecharts of all machines, each read once. */
export function createDrawings(): Drawings {
  const read = new Map<string, Promise<string>>()
  const sentences = once(async () => JSON.parse(await readDrawing('sentences.json')))
  return {
    names: Object.keys(MACHINES),
    sentences,
    async svg(name) {
      if (!Object.hasOwn(MACHINES, name)) return null
      const drawing = read.get(name) ?? readDrawing(`${name}.svg`)
      read.set(name, drawing)
      return drawing
    },
  }
}

const readDrawing = (file: string): Promise<string> => readFile(new URL(`./drawings/${file}`, import.meta.url), 'utf8')
