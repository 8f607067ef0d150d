import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import { BrowserTasks, serverSentEvents, type TaskEvent } from '../../src/client/index.ts'
import { BARE, DEPLOYED, nginx, startNginx } from '../support/nginx.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { openJobModel, taskOf } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

/** Longer than the interval of pings. `SILENCE_S=180` is the run by hand. */
const SILENCE_MS = Number(process.env.SILENCE_S ?? 20) * 1_000
const PING_MS = 15_000

const test = suite('events through nginx')
const scenes: [title: string, work: () => Promise<void>][] = []

for (const [transport, site, what] of [
  ['uws', DEPLOYED, 'deploy/nginx.conf'],
  ['node', BARE, 'nginx with its default settings'],
] as const) {
  scenes.push([
    `[V6] TRANSPORT=${transport} behind ${what}: a stream that is silent stays open, and tells what happens at once`,
    () => silentStream(transport, site),
  ])
}

async function silentStream(transport: string, site: string): Promise<void> {
  const model = await openJobModel()
  const service = await openService({ env: { ...model.env, TRANSPORT: transport } })
  const session = await service.api.pair()
  const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token })
  const proxy = await startNginx(site, new URL(service.url).port)
  try {
    const { tasks } = new BrowserTasks({ baseUrl: proxy.url, key: service.key })
    const job = { name: 'silent', steps: 2, asks: 'How long?' }
    const { id } = await tasks.create({ task: taskOf(job), browser_session_id: session.id, ask_user: true })
    const headers = { authorization: `Bearer ${service.key}`, accept: 'text/event-stream' }
    const stream = `${proxy.url}/v1/tasks/${id}/events`
    const asked = Date.now()
    const response = await fetch(stream, { headers })
    assert.is(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    const seen: (TaskEvent & { lateMs: number })[] = []
    const quiet: number[] = []
    let heard = asked
    async function* chunks() {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        quiet.push(Date.now() - heard)
        heard = Date.now()
        yield chunk
      }
    }
    for await (const { data } of serverSentEvents(chunks())) {
      const event = JSON.parse(data)
      seen.push({ ...event, lateMs: Date.now() - event.at })
      // The task waits for its answer, and nothing happens meanwhile.
      if (event.type === 'input.requested') {
        setTimeout(() => void tasks.answer(id, event.request_id, { action: 'accept', content: 'Long' }), SILENCE_MS)
      }
    }
    assert.equal(
      seen.map(({ seq }) => seq),
      seen.map((_, index) => index + 1),
    )
    assert.is(seen.at(-1)?.type, 'task.ended')
    const at = (type: string) => seen.find((event) => event.type === type)?.at ?? 0
    assert.ok(at('input.answered') - at('input.requested') >= SILENCE_MS - 100, 'it was silent')
    assert.ok(Math.max(...quiet) < PING_MS + 2_000, `${quiet}`)
    const late = seen.filter((event) => event.at > asked && event.lateMs > 2_000)
    assert.equal(late, [], 'nothing was held back')
    assert.is((await fetch(`${stream}?after=${seen.length}`, { headers })).status, 204)
    if (process.env.SILENCE_S) {
      const pings = quiet.filter((ms) => ms > PING_MS - 500).length
      const { lateMs } = seen.find(({ type }) => type === 'input.answered') ?? {}
      console.log({ transport, firstBytesMs: quiet[0], pings, longestPauseMs: Math.max(...quiet), lateMs })
    }
    if (site === DEPLOYED) await opensRelay(proxy.url)
  } finally {
    await proxy.stop()
    browser.disconnect()
    await service.kill()
    await model.endpoint.close()
  }
}

/** Browsers connect through it, too. */
async function opensRelay(url: string): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/relay`)
  const code = await new Promise<number>((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify({ type: 'register', role: 'extension', session_token: 'none' })))
    socket.on('close', resolve)
    socket.on('error', reject)
  })
  assert.ok(code >= 4_000, `closed by the relay: ${code}`)
}

if (nginx === undefined) console.log(`SKIPPED ${scenes.length} nginx is not installed`)
// Most of it is silence: they wait together.
else {
  const outcomes = scenes.map(([, work]) =>
    work().then(
      () => null,
      (reason: unknown) => reason,
    ),
  )
  for (const [index, [title]] of scenes.entries()) {
    test(title, async () => {
      const failure = await outcomes[index]
      if (failure) throw failure
    })
  }
}
test.run()
