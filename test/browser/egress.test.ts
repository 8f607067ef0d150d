import { createServer, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openAllowingProxy, type ProxyRules } from '../../src/browser/allowing-proxy.ts'
import { serviceReach } from '../../src/browser/own-service.ts'
import { PRIVATE_REFUSED, privateRefusal } from '../../src/browser/private-refusal.ts'
import { TaskContexts } from '../../src/browser/task-contexts.ts'
import { guardOf } from '../../src/net/address-guard.ts'

const test = suite('the way out of a browser, without one')

const publicOnly = guardOf({ allowPrivate: false })
const thisMachine = guardOf({ allowPrivate: false, allowCidrs: ['127.0.0.0/8', '::1'] })

const reached: string[] = []
const server = createServer(({ url = '' }, response) => {
  reached.push(url)
  response.end('Shop')
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
test.after(() => void server.close())

/** Asks by a tunnel, as WebSockets and https do, and in plain HTTP; the answers, or `cut`. */
async function ways(rules: Partial<ProxyRules>, host: string): Promise<string[]> {
  const proxy = await openAllowingProxy({ domains: null, addresses: null, refusalOf: null, ...rules })
  const at = new URL(proxy.url)
  const tunnel = new Promise<string>((resolve) => {
    const socket = connect(Number(at.port), at.hostname, () => socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\n\r\n`))
    socket.on('data', (data) => resolve(/^HTTP\/1.1 200/.test(data.toString()) ? 'open' : 'other'))
    socket.on('error', () => {}).on('close', () => resolve('cut'))
  })
  const plain = new Promise<string>((resolve) => {
    const sent = request(
      { host: at.hostname, port: at.port, path: `http://${host}:${port}/`, headers: { host } },
      (answer) => answer.resume().on('end', () => resolve('open')),
    )
    sent.on('error', () => resolve('cut')).end()
  })
  const came = await Promise.all([tunnel, plain])
  await proxy.close()
  return came
}

const OPEN = ['open', 'open']
const CUT = ['cut', 'cut']

for (const [what, rules, host, expected] of [
  ['nothing refuses', {}, '127.0.0.1', OPEN],
  ['an address', { addresses: publicOnly }, '127.0.0.1', CUT],
  ['an address in another spelling', { addresses: publicOnly }, '0x7f.1', CUT],
  ['an IPv6 address', { addresses: publicOnly }, '[::ffff:7f00:1]', CUT],
  ['a name that resolves to it', { addresses: publicOnly }, 'localhost', CUT],
  ['an address that is allowed', { addresses: thisMachine }, '127.0.0.1', OPEN],
  ['a name that resolves to one that is allowed', { addresses: thisMachine }, 'localhost', OPEN],
  ['an address of its domains', { addresses: publicOnly, domains: [`127.0.0.1:${port}`] }, '127.0.0.1', CUT],
  ['a name of its domains', { addresses: publicOnly, domains: [`localhost:${port}`] }, 'localhost', CUT],
  ['what is allowed and not of its domains', { addresses: thisMachine, domains: ['shop.example'] }, '127.0.0.1', CUT],
  ['the service', { refusalOf: serviceReach([`http://127.0.0.1:${port}`]).refusalOf }, '127.0.0.1', CUT],
  [
    'the service by another name',
    { refusalOf: serviceReach([`http://127.0.0.1:${port}`]).refusalOf },
    'localhost',
    CUT,
  ],
] as const)
  test(`[S24] [Z15] ${what}: ${expected === OPEN ? 'reached' : 'cut, as a tunnel and in plain HTTP'}`, async () => {
    reached.length = 0
    assert.equal(await ways(rules, host), expected)
    assert.is(reached.length, expected === OPEN ? 1 : 0)
  })

for (const answer of [
  'HTTP/1.1 000 None\r\n\r\n',
  'HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 200 O\x01K\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 200 O\x7fK\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nx-a: a\x01b\r\n\r\n',
  'HTTP/1.1 101 Other\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n',
])
  test(`[Z15] an answer that no proxy can pass on ends its own request alone: ${JSON.stringify(answer)}`, async () => {
    assert.equal(await answered(answer), 'cut')
  })

test('[Z15] trailers that a server announces are no fault', async () => {
  for (const [length, body] of [
    ['content-length: 4', 'Shop'],
    ['transfer-encoding: chunked', '4\r\nShop\r\n0\r\nx-sum: 1\r\n\r\n'],
  ])
    assert.is(await answered(`HTTP/1.1 200 OK\r\nTrailer: x-sum\r\n${length}\r\n\r\n${body}`), 'Shop')
})

test('[Z15] a tunnel to a port that there is not is cut', async () => {
  const proxy = await openAllowingProxy({ domains: null, addresses: null, refusalOf: null })
  const at = new URL(proxy.url)
  const socket = connect(Number(at.port), at.hostname, () => socket.write('CONNECT 127.0.0.1:70000 HTTP/1.1\r\n\r\n'))
  await new Promise((resolve) => socket.on('error', () => {}).on('close', resolve))
  await proxy.close()
})

/** What a client of the proxy reads of a server that answers with these bytes. */
async function answered(bytes: string): Promise<string> {
  const lying = createTcpServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(bytes, 'latin1'))
  })
  await new Promise<void>((resolve) => lying.listen(0, '127.0.0.1', resolve))
  const path = `http://127.0.0.1:${(lying.address() as AddressInfo).port}/`
  const proxy = await openAllowingProxy({ domains: null, addresses: null, refusalOf: null })
  const { hostname: host, port } = new URL(proxy.url)
  const came = await new Promise<string>((resolve) => {
    const sent = request({ host, port, path, agent: false }, (response) => {
      let text = ''
      response.on('data', (data) => {
        text += data
      })
      response.on('error', () => resolve('cut')).on('end', () => resolve(text))
    })
    sent.on('error', () => resolve('cut')).end()
  })
  await proxy.close()
  lying.close()
  return came
}

test('[Z15] each context of a task has a proxy once private addresses are refused; those without domains share one', async () => {
  const proxies: (string | null)[] = []
  const contexts = new TaskContexts(async (_, proxyUrl) => {
    proxies.push(proxyUrl)
    return { close: async () => {} }
  })
  const needs = { options: {}, isFresh: true }
  await contexts.begin('before', { ...needs, domains: null })
  contexts.bound({ addresses: publicOnly, refusalOf: null })
  await Promise.all(['a', 'b'].map((task) => contexts.begin(task, { ...needs, domains: null })))
  await contexts.begin('c', { ...needs, domains: ['shop.example'] })
  const [before, a, b, c] = proxies
  assert.is(before, null)
  assert.match(a ?? '', /^http:\/\/127\.0\.0\.1:\d+$/)
  assert.is(a, b)
  assert.match(c ?? '', /^http:\/\/127\.0\.0\.1:\d+$/)
  assert.is.not(c, a)
  await contexts.end('a')
  const answers = (url: string) =>
    new Promise<boolean>((resolve) => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname, () => resolve(socket.destroy() !== null))
      socket.on('error', () => resolve(false))
    })
  assert.ok(await answers(b ?? ''), 'the end of one task leaves it to the others')
  await contexts.endAll()
  assert.not(await answers(b ?? ''))
})

test('[Z15] a task reads why an address is refused, where the address says so', () => {
  for (const host of [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    'localhost',
    'a.localhost.',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '0.0.0.0',
    '169.254.169.254',
    '10.0.0.1',
  ])
    assert.is(privateRefusal(`http://${host}/`, publicOnly), PRIVATE_REFUSED, host)
  for (const address of ['http://93.184.1.1/', 'https://shop.example/', 'about:blank', 'http://[2606:4700::1]/'])
    assert.is(privateRefusal(address, publicOnly), null, address)
  assert.is(privateRefusal('http://127.0.0.1/', thisMachine), null)
  assert.is(privateRefusal('http://127.0.0.1/', null), null)
})

test.run()
