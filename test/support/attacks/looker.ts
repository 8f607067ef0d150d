import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

// A process that asks a service for its health and a list of tasks until it is told to stop: how long it waited at most.
// `node looker.ts <url> <key>`, which talks to its parent.

const EVERY_MS = 20
const [url, key] = process.argv.slice(2)
const wrong: string[] = []
let worst = 0
let running = true

async function look(): Promise<void> {
  const at = performance.now()
  const headers = { authorization: `Bearer ${key}` }
  const answers = await Promise.all(['/v1/health', '/v1/tasks'].map((path) => fetch(`${url}${path}`, { headers })))
  const [health] = (await Promise.all(answers.map((answer) => answer.json()))) as { status?: string }[]
  worst = Math.max(worst, performance.now() - at)
  if (answers.some(({ status }) => status !== 200) || health?.status !== 'ok') wrong.push(JSON.stringify(health))
}

for (let n = 0; n < 10; n++) await look()
worst = 0
void once(process, 'message').then(() => {
  running = false
})
process.send?.('looking')
while (running) {
  await look()
  await sleep(EVERY_MS)
}
process.send?.({ worst, wrong }, () => process.disconnect())
