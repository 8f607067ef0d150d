import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { serialize } from 'bson'
import { Databases } from './commands.ts'
import type { Doc } from './doc.ts'
import { Faults } from './faults.ts'
import { LIFETIME_MS } from './sessions.ts'
import { documentsOf, type Request, readMessages } from './wire.ts'

/*
 * A MongoDB server for tests, as a process of its own: prints its URL on stdout.
 * `--data <file>` is read at start and written at SIGTERM; `--with-parent` ends it with the process that started it. It
 * is a replica set of one member, which has transactions; `--standalone` makes it a server that has none. `--version` is
 * 8.0, which has `bulkWrite`, or 7.0. `--transaction-ms` is how long a transaction may be open.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    data: { type: 'string' },
    'with-parent': { type: 'boolean' },
    standalone: { type: 'boolean' },
    version: { type: 'string', default: '8.0' },
    'transaction-ms': { type: 'string', default: String(LIFETIME_MS) },
  },
})

const LOOK_EVERY_MS = 20
const TOO_LATE = { ok: 0, code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'operation exceeded time limit' }
/** Writes that wait for the end of the transaction that holds a document, as those of a real server do. */
let waiting: (() => boolean)[] = []
const later = setTimeout(goOn, LOOK_EVERY_MS)

const server = createServer((socket) => serve(socket))
server.listen(Number(values.port ?? 0), '127.0.0.1')
await once(server, 'listening')
const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
const databases = new Databases({
  address: values.standalone ? null : address,
  version: values.version === '7.0' ? '7.0' : '8.0',
  lifetimeMs: Number(values['transaction-ms']),
})
const faults = new Faults(databases)
if (values.data && existsSync(values.data)) databases.load(documentsOf(readFileSync(values.data)))
process.stdout.write(`mongodb://${address}\n`)

process.on('SIGTERM', () => {
  if (values.data) {
    writeFileSync(`${values.data}.new`, Buffer.concat([...databases.dump()].map((doc) => serialize(doc))))
    renameSync(`${values.data}.new`, values.data)
  }
  process.exit(0)
})
if (values['with-parent']) process.stdin.resume().on('end', () => process.exit(0))

function serve(socket: Socket): void {
  socket.setNoDelay(true)
  let rest: Buffer = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    const read = readMessages(rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk)
    rest = read.rest
    for (const request of read.requests) {
      const reply = faults.answer(request)
      if (reply === null) return void socket.destroy()
      if (waits(request, reply)) {
        const until = Date.now() + Number(request.command.maxTimeMS ?? Number.POSITIVE_INFINITY)
        waiting.push(() => socket.destroyed || answered(request, Date.now() > until))
      } else if (!request.silent) socket.write(request.answer(reply))
    }
    goOn()
  })
  function answered(request: Request, late: boolean): boolean {
    const reply = late ? TOO_LATE : databases.run(request.command)
    if (waits(request, reply)) return false
    if (!request.silent) socket.write(request.answer(reply))
    return true
  }
}

const waits = ({ command }: Request, reply: Doc) => reply.code === 112 && command.autocommit === undefined

/** Those that wait try again: something has happened, or a transaction has become too old. */
function goOn(): void {
  if (waiting.length === 0) return
  waiting = waiting.filter((answered) => !answered())
  if (waiting.length > 0) later.refresh()
}
