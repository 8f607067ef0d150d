import { setTimeout as pause } from 'node:timers/promises'
import { fork } from 'node:child_process'
import { openService } from './support/service.ts'
if (process.argv[2] === 'send') {
  const [,, , url, key, kind, n] = process.argv as string[]
  const headers = { authorization: 'Bearer ' + key }
  const data = Buffer.alloc(8 * 1024 * 1024, 1).toString('base64')
  const body: any = kind === 'start' ? JSON.stringify({ task: 'x', browser_session_id: '0192f1c2-8f3a-7b51-9c1e-5d2f6a7b8c9d', files: [{ name: 'a', data }] }) : new Uint8Array(25 * 1024 * 1024)
  process.send!('ready'); await new Promise((r) => process.once('message', r))
  await Promise.all(Array.from({ length: Number(n) }, () => fetch(url + (kind === 'start' ? '/v1/tasks' : '/v1/files?name=a'), { method: 'POST', headers, body }).then((r) => r.text())))
  process.exit(0)
}
const service = await openService()
for (const [kind, n] of [['upload', 1], ['upload', 4], ['start', 1], ['start', 3]] as const) {
  const child = fork(import.meta.filename ?? new URL(import.meta.url).pathname, ['send', service.url, service.key, kind, String(n)], { execArgv: process.execArgv })
  await new Promise((r) => child.once('message', r))
  let over = false; child.once('exit', () => { over = true }); child.send('go')
  const ms: number[] = []
  while (!over) { const t = performance.now(); await fetch(service.url + '/v1/tasks?limit=1', { headers: { authorization: 'Bearer ' + service.key } }).then((r) => r.text()); ms.push(performance.now() - t); await pause(3) }
  ms.sort((a, b) => a - b); console.log(kind, n, 'n', ms.length, 'p50', ms[ms.length >> 1]?.toFixed(1), 'max', ms.at(-1)?.toFixed(1))
}
await service.kill()
