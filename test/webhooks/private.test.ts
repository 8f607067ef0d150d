import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { closeReceivers, open, receiver } from './receiver.ts'

const test = suite('webhooks: private addresses')
test.after.each(closeReceivers)

test('[W7] private addresses in a URL are not called, however they are spelled', async () => {
  const { seen, port } = await receiver()
  const { webhook, lines } = open({ allowPrivate: false })
  const hosts = ['127.0.0.1', '0x7f.1', '2130706433', '017700000001', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]']
  for (const host of hosts) await webhook.post(`http://${host}:${port}/`, {})
  assert.is(seen.length, 0)
  assert.equal(
    lines.map(({ reason }) => reason),
    hosts.map(() => 'PRIVATE_ADDRESS'),
  )
})

test('[W8] a name with a private address among its addresses is not called', async () => {
  const { seen, port } = await receiver()
  for (const addresses of [['127.0.0.1'], ['93.184.216.34', '10.0.0.1'], ['::ffff:7f00:1'], ['fe80::1%lo']]) {
    const { webhook, lines } = open({ allowPrivate: false, resolve: async () => addresses })
    await webhook.post(`http://rebind.example:${port}/`, {})
    const expected = {
      host: `rebind.example:${port}`,
      reason: 'PRIVATE_ADDRESS',
      message: 'A webhook could not be delivered.',
    }
    assert.equal(lines, [expected], addresses.join())
  }
  assert.is(seen.length, 0)
})

test('[W7][W8] localhost is refused through the real resolver', async () => {
  const { seen, port } = await receiver()
  const { webhook, lines } = open({ allowPrivate: false })
  await webhook.post(`http://localhost:${port}/`, {})
  assert.is(lines[0]?.reason, 'PRIVATE_ADDRESS')
  assert.is(seen.length, 0)
})

test('[W8] the connection goes to what was resolved, and each is resolved once', async () => {
  const { seen, port } = await receiver()
  const asked: string[] = []
  const resolve = async (name: string) => {
    asked.push(name)
    // A name that changes between two look-ups: only the first answer may ever be used.
    return asked.length === 1 ? ['127.0.0.1'] : ['192.0.2.1']
  }
  const { webhook, lines } = open({ resolve })
  await webhook.post(`http://pinned.example:${port}/hook`, {})
  assert.equal(asked, ['pinned.example'])
  assert.equal(lines, [])
  assert.is(seen[0]?.headers.host, `pinned.example:${port}`)
})

test('[W7] with private addresses allowed, loopback is called by name and address', async () => {
  const { seen, port } = await receiver()
  const { webhook, lines } = open()
  for (const host of ['127.0.0.1', 'localhost', '0x7f.1']) await webhook.post(`http://${host}:${port}/`, {})
  assert.is(seen.length, 3)
  assert.equal(lines, [])
})

test.run()
