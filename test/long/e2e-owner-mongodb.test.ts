import { ownerSuite } from '../e2e/owner-suite.ts'
import { startMongoServer } from '../support/mongo/start.ts'

const server = await startMongoServer()
await ownerSuite(
  'mongodb',
  { MONGODB_URL: server.url },
  () => `MongoDB at 127.0.0.1:${server.port}`,
  () => server.stop(),
)
