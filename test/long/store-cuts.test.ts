import { randomUUID } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openMongoStore } from '../../src/stores/mongodb.ts'
import { anEvent } from '../stores/contract-events.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { anEnding, aTask, collected } from '../support/stores.ts'

/**
 * Cuts between any two round trips of a commit, also where its answer is on the way. `CUTS=500` for as many rounds;
 * TEST_MONGODB_URL names a real server, where a database of this run is made and dropped.
 */
const ROUNDS = Number(process.env.CUTS ?? 50)
const MONTH = '2026-11'

type When = 'asked' | 'answered'

/** Between a client and a server: cuts all connections at the next so-manieth command, before or after the server has it. */
async function aProxy(serverUrl: string, database: string) {
  const { hostname, port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let cut: { left: number; when: When } | null = null
  const cutAll = () => {
    cut = null
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
    let isCut = false
    client.on('data', (bytes) => {
      const isCommand = bytes.includes('lsid') && --(cut ?? { left: Number.POSITIVE_INFINITY }).left === 0
      if (isCommand && cut?.when === 'asked') return cutAll()
      isCut = isCommand
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => (isCut ? cutAll() : client.write(bytes)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // Else the driver goes to the server by the address that this one names.
    url: `mongodb://127.0.0.1:${(server.address() as { port: number }).port}/${database}?directConnection=true`,
    cutAt(left: number, when: When) {
      cut = { left, when }
    },
    /** Whether the cut has come. */
    calm() {
      const came = cut === null
      cut = null
      return came
    },
    close: () => {
      cutAll()
      server.close()
    },
  }
}

const test = suite('a network that cuts a commit')

test(`[D4 D12] ${ROUNDS} cuts between the round trips of a commit leave all of it or nothing`, async () => {
  const real = process.env.TEST_MONGODB_URL
  const server = real ? null : await startMongoServer()
  const serverUrl = real || server?.url || ''
  const database = `cuts_${randomUUID().slice(0, 8)}`
  const proxy = await aProxy(serverUrl, database)
  const store = await openMongoStore({ url: proxy.url, owner: { address: 'a test' } })
  const direct = await openMongoStore({ url: `${serverUrl}/${database}` })
  let [cuts, whole, nothing] = [0, 0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    const record = aTask({ id: randomUUID(), workspaceId: randomUUID() })
    const { id, workspaceId } = record
    const address = `task:${id}`
    const cutDuring = async (work: () => Promise<unknown>) => {
      proxy.cutAt(1 + (round % 4), round % 8 < 4 ? 'asked' : 'answered')
      const isDone = await work().then(
        () => true,
        () => false,
      )
      if (proxy.calm()) cuts++
      // Whatever was given up is over when another one has written.
      while (
        !(await store.commit([{ kind: 'actor.remove', address: 'none' }]).then(
          () => true,
          () => false,
        ))
      );
      return isDone
    }
    const kept = await cutDuring(() =>
      store.commit([
        { kind: 'task.insert', record },
        { kind: 'log.append', record: anEvent(id, workspaceId, 1) },
        { kind: 'image.put', image: { taskId: id, step: 1, number: 1, image: new Uint8Array([1]) } },
        { kind: 'actor.put', row: { address, version: 1, at: 1, snapshot: {} } },
      ]),
    )
    const there = await Promise.all([
      direct.tasks.get(id).then((task) => task !== null),
      direct.events.ofTask(id, 0, 10).then(({ length }) => length === 1),
      direct.image(id, 1).then((image) => image !== null),
      collected(direct.actors()).then((rows) => rows.some((row) => row.address === address)),
    ])
    assert.is(new Set(there).size, 1, `round ${round}: ${there}`)
    if (kept) assert.ok(there[0], `round ${round}: acknowledged and gone`)
    there[0] ? whole++ : nothing++
    if (!there[0]) continue

    const ended = await cutDuring(() => store.tasks.end(anEnding(id), anEvent(id, workspaceId, 2)))
    const [after, events] = [await direct.tasks.get(id), await direct.events.ofTask(id, 0, 10)]
    assert.is(after?.status === 'running' ? 1 : 2, events.length, `round ${round}: the ending and its event`)
    if (ended) assert.is(events.length, 2)

    const charge = { taskId: id, workspaceId, month: MONTH, freePerMonth: 5 }
    const charged = await cutDuring(() => store.ledger.charge(charge))
    const { freeUsed } = await direct.ledger.get(workspaceId, MONTH)
    if (charged) assert.is(freeUsed, 1)
    assert.is(await store.ledger.charge(charge), freeUsed === 1 ? 'already' : 'free')
    assert.is((await direct.ledger.get(workspaceId, MONTH)).freeUsed, 1)
    await store.commit([{ kind: 'actor.remove', address }])
  }
  console.log(`${cuts} cuts; of ${ROUNDS} commits ${whole} were made, ${nothing} were not`)
  // One that is cut is repeated until it is made or has had its time: few are not made, or none.
  assert.ok(cuts > ROUNDS / 2 && whole > 0)
  await store.close()
  await direct.close()
  proxy.close()
  const client = new MongoClient(serverUrl)
  await client.db(database).dropDatabase()
  await client.close()
  await server?.stop()
})

test.run()
