import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { serialize } from 'bson'
import { Databases } from './commands.ts'
import { Faults } from './faults.ts'
import { documentsOf, readMessages } from './wire.ts'

/*
 * A MongoDB server for tests, as a process of its own: prints its URL on stdout.
 * `--data <file>` is read at start and written at SIGTERM; `--with-parent` ends it with the process that started it.
 */
const { values } = parseArgs({
  options: { port: { type: 'string' }, data: { type: 'string' }, 'with-parent': { type: 'boolean' } },
})

const databases = new Databases()
const faults = new Faults(databases)
if (values.data && existsSync(values.data)) databases.load(documentsOf(readFileSync(values.data)))

const server = createServer((socket) => serve(socket))
server.listen(Number(values.port ?? 0), '127.0.0.1', () => {
  process.stdout.write(`mongodb://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})

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
      if (!request.silent) socket.write(request.answer(reply))
    }
  })
}
