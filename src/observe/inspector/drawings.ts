import { readFile } from 'node:fs/promises'
import { MACHINES } from './machines.ts'

export interface Drawings {
  /** The names of all machines. */
  readonly names: readonly string[]
  /** The statechart of a machine as SVG, as `npm run docs` drew it; `null` for an unknown name. */
  svg(name: string): Promise<string | null>
}

/** The statecharts of all machines, each read once. */
export function createDrawings(): Drawings {
  const read = new Map<string, Promise<string>>()
  return {
    names: Object.keys(MACHINES),
    async svg(name) {
      if (!Object.hasOwn(MACHINES, name)) return null
      const drawing = read.get(name) ?? readFile(new URL(`./drawings/${name}.svg`, import.meta.url), 'utf8')
      read.set(name, drawing)
      return drawing
    },
  }
}
