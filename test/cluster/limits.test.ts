import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openStore } from '../../src/stores/open.ts'
import { memoryLog } from '../support/http-wire.ts'
import { openLive } from '../support/live.ts'

const test = suite('limits among nodes')

test('[O14] [M1] a limit that an owner lowers at any node, or that a command sets, holds at the next start at every node', async () => {
  const live = await openLive({ transport: 'node', store: 'mongodb', nodes: 2 })
  const beside = await openStore({ mongodbUrl: `${live.mongo?.url}/live`, dataDir: '', log: memoryLog() })
  try {
    const tenant = await live.workspace()
    const { id: session } = await tenant.browser()
    const change = async (running_tasks: number | null) =>
      (await tenant.api.ask('PATCH', '/v1/limits', { running_tasks })).status
    /** Each request is a connection of its own, to the next node. */
    const starts = async () => {
      const codes: string[] = []
      for (let n = 0; n < 2; n++) codes.push((await tenant.api.start(session, 'done at once')).json.code ?? 'granted')
      return codes
    }
    assert.equal(await starts(), ['granted', 'granted'])
    assert.is(await change(0), 200)
    assert.equal(await starts(), ['too_many_running', 'too_many_running'])
    assert.is(await change(null), 200)
    assert.equal(await starts(), ['granted', 'granted'])
    await beside.limits.put(tenant.id, { runningTasks: 0 })
    assert.equal(await starts(), ['too_many_running', 'too_many_running'])
  } finally {
    await beside.close()
    await live.close()
  }
})

test.run()
