import { uwsTransport } from '../../../src/net/uws.ts'
import { memoryLog } from '../../support/http-wire.ts'
import { streamSuite } from './stream-suite.ts'

await streamSuite(uwsTransport(memoryLog()))
