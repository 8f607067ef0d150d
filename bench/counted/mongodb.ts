import { MongoClient as Client, type MongoClientOptions } from 'mongodb'
import { counts } from './counts.ts'

export * from 'mongodb'

/** As the driver's; its commands are counted. */
export class MongoClient extends Client {
  constructor(url: string, options: MongoClientOptions = {}) {
    super(url, { ...options, monitorCommands: true })
    const begun = new Map<number, number>()
    const ended = ({ requestId, commandName }: { requestId: number; commandName: string }) => {
      const from = begun.get(requestId)
      if (begun.delete(requestId) && from !== undefined) counts.roundTrip(commandName, from)
    }
    this.on('commandStarted', ({ requestId }) => begun.set(requestId, performance.now()))
    this.on('commandSucceeded', ended)
    this.on('commandFailed', ended)
  }
}
