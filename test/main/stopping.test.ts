import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANSWERS_MS_MAX } from '../../machines/limits.ts'
import { readConfig } from '../../src/config/config.ts'
import { startService } from '../../src/main.ts'
import { openStore } from '../../src/stores/open.ts'
import { memoryLog, RawClient, until } from '../support/http-wire.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('a stop of the whole service')

for (const TRANSPORT of ['uws', 'node'])
  test(`[D10 Y7] ${TRANSPORT}: the store is closed after what an MCP call asks inside has ended`, async () => {
    const log = memoryLog()
    const config = readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder(), TRANSPORT })
    const order: string[] = []
    const opened = await openStore({ mongodbUrl: null, dataDir: config.dataDir, log })
    const close = async () => {
      order.push('closed')
      await opened.close()
    }
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const service = await startService({
      ...{ config, log, store: { ...opened, close } },
      wrap: {
        taskService: (taskService) => ({
          ...taskService,
          task: async () => {
            order.push('asked')
            await held
            order.push('answered')
            return null
          },
        }),
      },
    })
    const call = { name: 'browser_get_task', arguments: { task_id: randomUUID() } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
    const client = await RawClient.open(service.httpPort)
    await client.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${service.firstKey}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await until('it asks inside', () => order.length === 1)
    client.destroy()
    const stopped = service.stop()
    setTimeout(release, ANSWERS_MS_MAX / 2)
    await stopped
    assert.equal(order, ['asked', 'answered', 'closed'])
  })

test.run()
