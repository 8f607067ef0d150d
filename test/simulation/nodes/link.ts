import type { Life } from '../outside/life.ts'

/** How one life of a node reaches the database and the bus. */
export interface Link {
  readonly life: Life
  /** Cut off: nothing passes in either direction. */
  storeCut: boolean
  busCut: boolean
}
