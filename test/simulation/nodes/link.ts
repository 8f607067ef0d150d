import type { DatabaseLink } from '../database/database.ts'

/** How one life of a node reaches the database and the bus. */
export interface Link extends DatabaseLink {
  busCut: boolean
}
