import * as v from 'valibot'
import { ms } from './fields.ts'

/** [R52] A read token opens it too, as for events. */
export const LiveQuery = v.object({ token: v.optional(v.string()) })

/** [R52] The data of a `frame` in the stream. */
export const LivePicture = v.object({ at: ms, jpeg: v.string() })
