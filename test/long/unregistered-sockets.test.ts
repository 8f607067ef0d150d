import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

// Sockets that send most of a long frame and never register.

const MB = 1024 * 1024
const SOCKETS = 60
const ATTACK_MS = 4_000
const GROWTH_MB_MAX = 200
const SERVER = fileURLToPath(new URL('../support/attacks/relay-server.ts', import.meta.url))
const UPGRADE =
  'GET /relay HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

/** Sends all but the last megabyte of one frame. */
function attack(port: number, megabytes: number): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(UPGRADE))
  socket.on('error', () => {})
  socket.once('data', () => {
    const head = Buffer.alloc(14)
    head.writeUInt16BE(0x81ff)
    head.writeBigUInt64BE(BigInt(megabytes * MB), 2)
    socket.write(head)
    let sent = 0
    const more = () => {
      while (++sent < megabytes) if (!socket.write(Buffer.alloc(MB, 'A'))) return void socket.once('drain', more)
    }
    more()
  })
  return socket
}

for (const transport of ['uws', 'node']) {
  const test = suite(`sockets that never register: ${transport}`)
  for (const megabytes of [31, 15]) {
    test(`[R43] ${SOCKETS} unfinished frames of ${megabytes} MB take ${GROWTH_MB_MAX} MB at most`, async () => {
      const server = fork(SERVER, [transport])
      const port = await new Promise<number>((resolve) => server.once('message', (message) => resolve(Number(message))))
      const residentMb = () =>
        Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024
      const ask = async () => (await fetch(`http://127.0.0.1:${port}/`)).text()
      for (let n = 0; n < 200; n++) await ask()
      await sleep(500)
      const before = residentMb()
      const sockets = Array.from({ length: SOCKETS }, () => attack(port, megabytes))
      let most = before
      for (const end = Date.now() + ATTACK_MS; Date.now() < end; await sleep(5)) {
        assert.is(await ask(), 'ok')
        most = Math.max(most, residentMb())
      }
      for (const socket of sockets) socket.destroy()
      server.kill()
      assert.ok(most - before <= GROWTH_MB_MAX, `${(most - before).toFixed(1)} MB more`)
    })
  }
  test.run()
}
