import { uwsTransport } from '../../src/http/uws.ts'
import { memoryLog } from '../support/http-wire.ts'
import { socketSuite } from './socket-suite.ts'
import { transportSuite } from './transport-suite.ts'

const log = memoryLog()
const transport = uwsTransport(log)
transportSuite(transport, log)
socketSuite(transport, log)
