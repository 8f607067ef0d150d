import { deserialize, serialize } from 'bson'
import { update as mingoUpdate } from 'mingo'
import type { Doc } from './collection.ts'

/** Operators, or the document that replaces. */
export type Update = Doc

/** The document that an update makes of another one, and whether it differs. */
export function applyUpdate(old: Doc, update: Update, inserting: boolean): { doc: Doc; changed: boolean } {
  const before = serialize(old)
  if (!Object.keys(update).some((name) => name.startsWith('$'))) {
    const doc = old._id === undefined ? update : { _id: old._id, ...update }
    return { doc, changed: differs(before, doc) }
  }
  const doc = deserialize(before) as Doc
  const { $setOnInsert, ...operators } = update
  if (inserting && $setOnInsert) mingoUpdate(doc, { $set: $setOnInsert as Doc })
  for (const [operator, fields] of Object.entries(operators)) mingoUpdate(doc, { [operator]: fields } as never)
  return { doc, changed: differs(before, doc) }
}

const differs = (before: Uint8Array, doc: Doc) => Buffer.compare(before, serialize(doc)) !== 0

/** What an upsert begins with: the fields that the filter wants equal to a value. */
export function equalities(filter: Doc): Doc {
  const doc: Doc = {}
  for (const [field, value] of Object.entries(filter)) {
    const operator = value !== null && typeof value === 'object' && Object.keys(value)[0]?.startsWith('$')
    if (field === '_id' && !operator) doc._id = value
    else if (!field.startsWith('$') && !operator) mingoUpdate(doc, { $set: { [field]: value } })
  }
  return doc
}
