import { nodeTransport } from '../../../src/net/node.ts'
import { memoryLog } from '../../support/http-wire.ts'
import { bodySuite } from './body-suite.ts'
import { listenerSuite } from './listener-suite.ts'
import { socketSuite } from './socket-suite.ts'
import { transportSuite } from './transport-suite.ts'
import { unreadSuite } from './unread-suite.ts'
import { upgradeSuite } from './upgrade-suite.ts'

const log = memoryLog()
const transport = nodeTransport(log)
transportSuite(transport, log)
bodySuite(transport, log)
listenerSuite(transport, log)
socketSuite(transport, log)
unreadSuite(transport)
upgradeSuite(transport)
