import type { Ms } from '../../../machines/records.ts'
import { isUuid } from '../../../machines/uuid.ts'

/** The last item of a page: what follows is older, or as old with a smaller id. */
export interface Position {
  readonly createdAt: Ms
  readonly id: string
}

/** [T46] An opaque text for clients to hand back. */
export const cursorOf = ({ createdAt, id }: Position): string => Buffer.from(`${createdAt}.${id}`).toString('base64url')

/** The decoded cursor; `null` for text that this service did not issue. */
export function positionOf(cursor: string): Position | null {
  const [createdAt = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split('.')
  const isOurs = rest.length === 0 && /^\d{1,15}$/.test(createdAt) && isUuid(id)
  const position = { createdAt: Number(createdAt), id }
  // Decoding forgives what encoding never wrote.
  return isOurs && cursorOf(position) === cursor ? position : null
}
