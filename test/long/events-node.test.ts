import { nodeTransport } from '../../src/net/node.ts'
import { streamSuite } from '../api/events/stream-suite.ts'
import { memoryLog } from '../support/http-wire.ts'

await streamSuite(nodeTransport(memoryLog()))
