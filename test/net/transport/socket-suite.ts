import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import type { Handler, Listener, Socket, SocketHandlers, Transport } from '../../../src/net/transport.ts'
import { listenWith, type memoryLog, until } from '../../support/http-wire.ts'

const MAX_FRAME = 1024 * 1024
const hello: Handler = ({ path }) => ({ status: 200, headers: [], body: `answered ${path}` })

interface Seen {
  readonly handlers: SocketHandlers<{ count: number }>
  readonly sockets: Socket<{ count: number }>[]
  readonly texts: (string | null)[]
  readonly closes: [code: number, reason: string][]
}
const watch = (act: (socket: Socket<{ count: number }>, text: string | null) => void = () => {}): Seen => {
  const seen: Seen = {
    sockets: [],
    texts: [],
    closes: [],
    handlers: {
      maxFrameBytes: MAX_FRAME,
      data: () => ({ count: 0 }),
      open: (socket) => void seen.sockets.push(socket),
      message: (socket, text) => {
        socket.data.count++
        seen.texts.push(text)
        act(socket, text)
      },
      close: (_, code, reason) => void seen.closes.push([code, reason]),
    },
  }
  return seen
}

/** What both transports promise of WebSockets. */
export function socketSuite(transport: Transport, log: ReturnType<typeof memoryLog>): void {
  const test = suite(`${transport.name} sockets`)
  const listeners: Listener[] = []
  const clients: WebSocket[] = []
  const serve = async (seen: Seen, path = '/relay') => {
    const listener = await listenWith(transport, hello, { [path]: seen.handlers })
    listeners.push(listener)
    return listener
  }
  const dial = (listener: Listener, path = '/relay') => {
    const ws = new WebSocket(`ws://127.0.0.1:${listener.port}${path}`)
    ws.on('error', () => {})
    clients.push(ws)
    return ws
  }
  const opened = async (listener: Listener, path?: string) => {
    const ws = dial(listener, path)
    await new Promise<void>((resolve, reject) => ws.once('open', resolve).once('error', reject))
    return ws
  }
  const closeOf = (ws: WebSocket) =>
    new Promise<[number, string]>((resolve) => ws.once('close', (code, reason) => resolve([code, reason.toString()])))
  test.after.each(async () => {
    log.lines.length = 0
    for (const ws of clients.splice(0)) ws.terminate()
    for (const listener of listeners.splice(0)) await listener.close()
  })

  test('carries text both ways, with data of its own for each socket', async () => {
    const seen = watch((socket, text) => socket.send(`${text} ${socket.data.count}`))
    const listener = await serve(seen)
    const [one, two] = [await opened(listener), await opened(listener)]
    const heard: string[] = []
    one.on('message', (data) => heard.push(`one ${data}`))
    two.on('message', (data) => heard.push(`two ${data}`))
    one.send('a')
    one.send('grüße')
    two.send('c')
    await until('three answers', () => heard.length === 3)
    assert.equal(heard.sort(), ['one a 1', 'one grüße 2', 'two c 1'])
    assert.is(seen.sockets[0]?.ip, '127.0.0.1')
  })

  test('frames that are sent together arrive one by one, in their order', async () => {
    const seen = watch((socket) => socket.send('first', 'second', 'third'))
    const ws = await opened(await serve(seen))
    const heard: string[] = []
    ws.on('message', (data) => heard.push(String(data)))
    ws.send('go')
    await until('three frames', () => heard.length === 3)
    assert.equal(heard, ['first', 'second', 'third'])
  })

  test('a query string does not hide the path', async () => {
    const seen = watch()
    await opened(await serve(seen), '/relay?x=1')
    await until('the socket', () => seen.sockets.length === 1)
  })

  test('takes sockets at / as well', async () => {
    const seen = watch()
    await opened(await serve(seen, '/'), '/')
    await until('the socket', () => seen.sockets.length === 1)
  })

  for (const text of ['x', 'é', '茶', '😀'].map((each) => each.repeat(70_000)))
    test(`a long frame of ${text.slice(0, 2)} arrives as it was sent`, async () => {
      const seen = watch()
      const ws = await opened(await serve(seen))
      ws.send(text)
      await until('the frame', () => seen.texts.length === 1)
      assert.ok(seen.texts[0] === text)
    })

  test('a binary frame is null', async () => {
    const seen = watch()
    const ws = await opened(await serve(seen))
    ws.send(Buffer.from([1, 2, 3]))
    await until('the frame', () => seen.texts.length === 1)
    assert.is(seen.texts[0], null)
  })

  test('a frame of exactly the limit arrives, one byte more is closed with 1009', async () => {
    const seen = watch()
    const listener = await serve(seen)
    const ws = await opened(listener)
    ws.send('x'.repeat(MAX_FRAME))
    await until('the frame', () => seen.texts.length === 1)
    assert.is(seen.texts[0]?.length, MAX_FRAME)
    ws.send('x'.repeat(MAX_FRAME + 1))
    assert.is((await closeOf(ws))[0], 1009)
    await until('the close', () => seen.closes.length === 1)
    assert.is(seen.texts.length, 1)
  })

  test('a frame far over the limit ends its socket alone', async () => {
    const seen = watch()
    const listener = await serve(seen)
    const [bad, good] = [await opened(listener), await opened(listener)]
    bad.send('x'.repeat(4 * MAX_FRAME))
    await closeOf(bad)
    good.send('still here')
    await until('the other socket', () => seen.texts.includes('still here'))
  })

  test('[R43] a socket that is not admitted ends when it has sent too much, also before its frame is whole', async () => {
    const seen = watch((socket) => socket.admit())
    const listener = await serve({ ...seen, handlers: { ...seen.handlers, bytesBeforeAdmission: 64 * 1024 } })
    const [whole, admitted] = [await opened(listener), await opened(listener)]
    whole.send('x'.repeat(65 * 1024))
    await closeOf(whole)
    admitted.send('admit')
    await until('the first frame', () => seen.texts.includes('admit'))
    admitted.send('x'.repeat(MAX_FRAME))
    await until('the long frame', () => seen.texts.length === 2)
    assert.is(seen.texts[1]?.length, MAX_FRAME)
  })

  test('the peer reads the code and the reason that the service closes with', async () => {
    const seen = watch((socket) => socket.close(4401, 'Invalid session token'))
    const ws = await opened(await serve(seen))
    ws.send('x')
    assert.equal(await closeOf(ws), [4401, 'Invalid session token'])
    await until('the close', () => seen.closes.length === 1)
    assert.equal(seen.closes[0], [4401, 'Invalid session token'])
  })

  test('the service reads the code and the reason that the peer closes with', async () => {
    const seen = watch()
    const ws = await opened(await serve(seen))
    ws.close(4000, 'bye')
    await until('the close', () => seen.closes.length === 1)
    assert.equal(seen.closes, [[4000, 'bye']])
  })

  test('a peer that vanishes is one close', async () => {
    const seen = watch()
    const ws = await opened(await serve(seen))
    ws.terminate()
    await until('the close', () => seen.closes.length === 1)
  })

  test('after its close a socket says false, and throws never', async () => {
    const seen = watch()
    const ws = await opened(await serve(seen))
    await until('the socket', () => seen.sockets.length === 1)
    const [socket] = seen.sockets
    assert.ok(socket)
    assert.is(socket.send('before'), true)
    socket.close(4408, 'é'.repeat(200))
    assert.is(seen.closes.length, 1, 'the close is told at once')
    assert.is(socket.send('after'), false)
    assert.is(socket.bufferedBytes(), 0)
    socket.close(4409, 'again')
    const [code, reason] = await closeOf(ws)
    assert.is(code, 4408)
    assert.ok(Buffer.byteLength(reason) <= 123 && /^é+$/.test(reason))
    assert.is(seen.closes.length, 1)
  })

  test('a code that may not be sent becomes 1011', async () => {
    const seen = watch((socket) => socket.close(1006, 'x'))
    const ws = await opened(await serve(seen))
    ws.send('x')
    assert.is((await closeOf(ws))[0], 1011)
  })

  test('what waits for a slow peer is counted', async () => {
    const seen = watch()
    const ws = await opened(await serve(seen))
    await until('the socket', () => seen.sockets.length === 1)
    ws.pause()
    const [socket] = seen.sockets
    assert.ok(socket)
    for (let sent = 0; sent < 200 && socket.bufferedBytes() === 0; sent++) socket.send('x'.repeat(MAX_FRAME))
    assert.ok(socket.bufferedBytes() > 0)
    ws.resume()
    await until('all to leave', () => socket.bufferedBytes() === 0)
  })

  for (const isAdmitted of [true, false]) {
    test(`pings of a peer that reads nothing end its socket ${isAdmitted ? '' : 'also before it is admitted'}`, async () => {
      const seen = watch()
      const bytesBeforeAdmission = isAdmitted ? {} : { bytesBeforeAdmission: 1024 }
      const ws = await opened(await serve({ ...seen, handlers: { ...seen.handlers, ...bytesBeforeAdmission } }))
      ws.pause()
      for (let sent = 0; sent < 400 && seen.closes.length === 0; sent++) {
        for (let n = 0; n < 1_000; n++) ws.ping('x'.repeat(125))
        await new Promise((resolve) => setImmediate(resolve))
      }
      await until('its end', () => seen.closes.length === 1)
    })
  }

  for (const moment of ['open', 'message', 'close'] as const) {
    test(`a handler that throws in ${moment} ends its own socket with 1011`, async () => {
      const seen = watch()
      const boom = () => {
        throw new Error('boom')
      }
      const listener = await serve({ ...seen, handlers: { ...seen.handlers, [moment]: boom } })
      const ws = dial(listener)
      const closed = closeOf(ws)
      ws.once('open', () => (moment === 'close' ? ws.close(4000) : ws.send('x')))
      assert.is((await closed)[0], moment === 'close' ? 4000 : 1011)
      await until('the log line', () => log.lines.some((line) => line.level === 'error'))
      const again = dial(listener)
      await closeOf(again.once('open', () => again.close(4000)) && again)
    })
  }

  test('closing the listener closes its sockets with 1001', async () => {
    const seen = watch()
    const listener = await serve(seen)
    const ws = await opened(listener)
    await until('the socket', () => seen.sockets.length === 1)
    const closed = closeOf(ws)
    await listener.close()
    assert.is((await closed)[0], 1001)
    assert.is(seen.closes.length, 1)
  })

  test.run()
}
