import { nodeTransport } from '../../../src/net/node.ts'
import { memoryLog } from '../../support/http-wire.ts'
import { streamSuite } from './stream-suite.ts'

await streamSuite(nodeTransport(memoryLog()))
