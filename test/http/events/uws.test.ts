import { uwsTransport } from '../../../src/http/uws.ts'
import { memoryLog } from '../../support/http-wire.ts'
import { streamSuite } from './stream-suite.ts'

await streamSuite(uwsTransport(memoryLog()))
