import { createHash } from 'node:crypto'
import type { Form } from './form.ts'

/** The id of a call as the endpoint wants it. */
export const callId = (id: string, { callIds }: Form): string => (callIds === 'own' ? id : nineOf(id))

/** Nine letters and digits, always the same for the same id. */
const nineOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 9)
