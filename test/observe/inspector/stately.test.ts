import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import { eventually } from '../../support/eventually.ts'
import { openLive } from '../../support/live.ts'
import { freePort } from '../../support/ports.ts'

const test = suite("XState's own inspectors")

test('[N13] INSPECT_WS sends to no foreign page, and to others actors, events and snapshots in the format of @statelyai/inspect, without what is private', async () => {
  const port = await freePort()
  const live = await openLive({ transport: 'uws', store: 'lmdb' }, { INSPECT_WS: String(port) })
  try {
    const tenant = await live.workspace()
    const { id: session } = await tenant.browser(() => ({ output: 'hunter2' }))
    const refused = (origin: string) =>
      new Promise<boolean>((resolve) => {
        const page = new WebSocket(`ws://127.0.0.1:${port}/`, { origin })
        page.on('error', () => resolve(true))
        page.on('open', () => {
          page.terminate()
          resolve(false)
        })
      })
    assert.equal(await Promise.all(['https://evil.example', 'null', 'http://localhost.evil.example'].map(refused)), [
      true,
      true,
      true,
    ])
    assert.equal(await Promise.all(['https://stately.ai', 'http://localhost:5173'].map(refused)), [false, false])
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`)
    // biome-ignore lint/suspicious/noExplicitAny: the format is what is tested
    const heard: any[] = []
    socket.on('message', (data) => heard.push(JSON.parse(String(data))))
    await eventually(() => heard.some(({ sessionId }) => sessionId === `session:${session}`), 'those who live', 10_000)
    assert.ok(heard.every(({ type }) => type === '@xstate.actor'))
    const { json } = await tenant.api.start(session, 'call hunter2')
    const address = `task:${json.id}`
    const of = (type: string) => heard.filter((message) => message.type === type && message.sessionId === address)
    await eventually(() => of('@xstate.snapshot').at(-1)?.snapshot.status === 'done', 'the end', 10_000)
    const [actor] = of('@xstate.actor')
    assert.is(actor.name, address)
    assert.equal(Object.keys(JSON.parse(actor.definition).states), ['starting', 'queued', 'running', 'ended'])
    const { running } = JSON.parse(actor.definition).states
    assert.is(running.states.askingModel.states.thinking.description, 'waits for the model')
    assert.is(running.states.callingTool.on['call.settled'][0].description.split(' Only if: ').length, 2)
    assert.equal(actor.snapshot.value, { running: { askingModel: 'thinking' } })
    for (const message of heard) {
      assert.equal([message.id, typeof message._version, /^\d+$/.test(message.createdAt)], [null, 'string', true])
      assert.is(message.rootId, message.sessionId)
    }
    assert.ok(of('@xstate.event').some(({ event }) => event.type === 'model.requestedTools'))
    assert.ok(
      of('@xstate.snapshot').some(
        ({ snapshot, event }) => event.type === 'intent.kept' && snapshot.value.running.callingTool === 'acting',
      ),
    )
    assert.not.match(JSON.stringify(heard), /hunter2/)
    socket.close()
  } finally {
    await live.close()
  }
})

test.run()
