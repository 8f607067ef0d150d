import { randomUUID } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { openMongoStore } from '../../src/stores/mongodb.ts'
import { contract } from '../stores/contract.ts'
import { databaseAt, startMongoServer } from '../support/mongo/start.ts'

// A real server where TEST_MONGODB_URL names one, else our own: in a database of this run, which is dropped.
const server = process.env.TEST_MONGODB_URL ? null : await startMongoServer()
const url = databaseAt(process.env.TEST_MONGODB_URL || `${server?.url}`, `test_${randomUUID().slice(0, 8)}`)

// The first handle owns the store, the others are opened beside it.
let owner: { readonly address: string } | null = { address: 'http://127.0.0.1:1' }
await contract('the store on MongoDB', {
  open() {
    const opened = openMongoStore({ url, ...(owner && { owner }) })
    owner = null
    return opened
  },
  async remove() {
    const client = new MongoClient(url)
    await client.db().dropDatabase()
    await client.close()
    await server?.stop()
  },
})
