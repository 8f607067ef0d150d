import { deserialize, serialize } from 'bson'
import { Aggregator } from 'mingo'
import { CommandError, type Doc } from './doc.ts'

/** Operators, the document that replaces, or a pipeline. */
export type Update = Doc | readonly Doc[]

type Operator = (holder: Doc, key: string, value: unknown) => void

/** The operators that the service uses. Another one is an error, as a misspelt one is to a real server. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  $set: (holder, key, value) => {
    holder[key] = value
  },
  $unset: (holder, key) => {
    delete holder[key]
  },
  $inc: (holder, key, value) => {
    const before = holder[key] ?? (key in holder ? Number.NaN : 0)
    if (typeof before !== 'number' || Number.isNaN(before)) throw new CommandError(14, `Cannot apply $inc to ${key}`)
    holder[key] = before + Number(value)
  },
  $currentDate: (holder, key) => {
    holder[key] = new Date()
  },
  $pull: (holder, key, value) => {
    const list = holder[key]
    if (Array.isArray(list)) holder[key] = list.filter((one) => one !== value)
  },
  $addToSet: (holder, key, value) => {
    const list = holder[key] ?? []
    if (!Array.isArray(list)) throw new CommandError(2, `The field '${key}' must be an array`)
    if (typeof value === 'object') throw new CommandError(2, 'This server adds only simple values')
    if (!list.includes(value)) holder[key] = [...list, value]
  },
  $push: (holder, key, value) => {
    const list = holder[key] ?? []
    if (!Array.isArray(list)) throw new CommandError(2, `The field '${key}' must be an array`)
    const { $each = [value], $slice } = (value ?? {}) as { $each?: unknown[]; $slice?: number }
    const longer = [...list, ...$each]
    if ($slice === undefined) holder[key] = longer
    else holder[key] = $slice < 0 ? longer.slice($slice) : longer.slice(0, $slice)
  },
}

/** The document that an update makes of another one, and whether it differs. */
export function applyUpdate(old: Doc, update: Update, inserting: boolean): { doc: Doc; changed: boolean } {
  const before = serialize(old)
  const doc = updated(deserialize(before) as Doc, update, inserting)
  return { doc, changed: Buffer.compare(before, serialize(doc)) !== 0 }
}

function updated(doc: Doc, update: Update, inserting: boolean): Doc {
  if (Array.isArray(update)) return piped(doc, update)
  if (Object.keys(update).some((name) => name.startsWith('$'))) return operated(doc, update as Doc, inserting)
  return { ...(doc._id === undefined ? {} : { _id: doc._id }), ...update }
}

/** What cannot be computed fails, as a conversion does. */
function piped(doc: Doc, pipeline: readonly Doc[]): Doc {
  try {
    return new Aggregator(pipeline as never, {}).run<Doc>([doc])[0] ?? doc
  } catch (error) {
    throw new CommandError(241, String(error), { codeName: 'ConversionFailure' })
  }
}

function operated(doc: Doc, update: Update, inserting: boolean): Doc {
  for (const [name, fields] of Object.entries(update)) {
    if (name === '$setOnInsert' && !inserting) continue
    const operator = OPERATORS[name === '$setOnInsert' ? '$set' : name]
    if (!operator) throw new CommandError(9, `Unknown modifier: ${name}`)
    for (const [path, value] of Object.entries(fields as Doc)) {
      const { holder, key } = holderOf(doc, path)
      operator(holder, key, value)
    }
  }
  return doc
}

/** The object that the last part of a path names a field of; made where it is missing. */
function holderOf(doc: Doc, path: string): { holder: Doc; key: string } {
  const parts = path.split('.')
  const key = parts.pop() ?? ''
  let holder = doc
  for (const part of parts) {
    holder[part] ??= {}
    holder = holder[part] as Doc
    if (typeof holder !== 'object') throw new CommandError(28, `Cannot create field '${key}' in element of ${path}`)
  }
  return { holder, key }
}

/** What an upsert begins with: the fields that the filter wants equal to a value. */
export function equalities(filter: Doc): Doc {
  const doc: Doc = {}
  for (const [field, value] of Object.entries(filter)) {
    const operator = value !== null && typeof value === 'object' && Object.keys(value)[0]?.startsWith('$')
    if (field.startsWith('$') || operator) continue
    const { holder, key } = holderOf(doc, field)
    holder[key] = value
  }
  return doc
}
