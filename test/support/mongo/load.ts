import { readFileSync } from 'node:fs'
import type { Db, IndexDescription } from 'mongodb'
import { documentsOf } from './wire.ts'

/** Puts what a test server has left in its data file into a database: documents and indexes of each collection. */
export async function loadDocuments(db: Db, file: string): Promise<void> {
  const all = documentsOf(readFileSync(file))
  for (let at = 0; at < all.length; ) {
    const { ns, indexes, count } = all[at++] as { ns: string; indexes: IndexDescription[]; count: number }
    const collection = db.collection(ns.slice(ns.indexOf('.') + 1))
    if (count > 0) await collection.insertMany(all.slice(at, at + count))
    if (indexes.length > 0) await collection.createIndexes(indexes)
    at += count
  }
}
