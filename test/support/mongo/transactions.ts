import { MongoClient } from 'mongodb'

const LOOK_EVERY_MS = 500

/**
 * How long transactions on a server are open at most. Our own server knows (`ours`); a real one is looked at all the time,
 * and its user has to be allowed to see what others do.
 */
export function watchTransactions(url: string, ours: boolean) {
  const client = new MongoClient(url)
  const admin = client.db('admin')
  let longestMs = 0
  async function look(): Promise<void> {
    if (ours) {
      longestMs = (await admin.command({ transactions: 1 })).longestMs
      return
    }
    const open = admin.aggregate<{ transaction: { timeOpenMicros: number } }>([
      { $currentOp: { allUsers: true, idleSessions: true } },
      { $match: { 'transaction.timeOpenMicros': { $exists: true } } },
    ])
    for await (const { transaction } of open)
      longestMs = Math.max(longestMs, Number(transaction.timeOpenMicros) / 1_000)
  }
  // A primary that steps down answers later.
  const timer = ours ? undefined : setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS).unref()
  return {
    async longestMs(): Promise<number> {
      await look()
      return longestMs
    },
    async close(): Promise<void> {
      clearInterval(timer)
      await client.close()
    },
  }
}
