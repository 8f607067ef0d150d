import { startMongoServer } from '../support/mongo/start.ts'
import { ownerSuite } from './owner-suite.ts'

const server = await startMongoServer()
await ownerSuite(
  'mongodb',
  { MONGODB_URL: server.url },
  () => `MongoDB at 127.0.0.1:${server.port}`,
  () => server.stop(),
)
