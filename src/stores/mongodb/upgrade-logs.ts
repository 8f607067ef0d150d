import { mergeLogs, OLD_TABLES } from '../old-logs.ts'
import type { MongoDatabase } from './client.ts'
import { MongoDriver } from './driver.ts'

/** Makes logs of what versions without them kept of tasks. Called by the owner of the store, before anything is read. */
export async function upgradeLogs(database: MongoDatabase): Promise<void> {
  const { db } = database.present()
  const old = OLD_TABLES.map(({ collection = '' }) => db.collection(collection))
  const some = await Promise.all(old.map((collection) => collection.findOne()))
  if (some.every((doc) => doc === null)) return
  await mergeLogs(new MongoDriver(database))
  // What is left is of tasks that are gone.
  for (const collection of old) await collection.drop()
}
