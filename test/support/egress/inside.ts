import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Api } from '../service/api.ts'
import { finished } from '../service/jobs.ts'
import { openService } from '../service.ts'
import { tempFolder } from '../stores.ts'
import { openNames } from './names.ts'
import { ALLOWED, DATAGRAMS, HOSTS, WAYS } from './places.ts'

/**
 * A program that is started in a network and mount namespace of its own (`unshare -n -m`): each private address is one of
 * its interface's, and a service in production runs a task whose pages try to reach them. It prints what was reached, and by
 * what.
 */

const HOSTS_A_PAGE = 20
const PORT = 80
const DATAGRAM_PORTS = [3478, 443]

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] })
ip('link', 'set', 'lo', 'up')
for (const address of [
  '169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  '10.1.2.3',
  '172.16.5.6',
  '192.168.7.8',
  ALLOWED,
])
  ip('addr', 'add', `${address}/32`, 'dev', 'lo')
for (const address of ['fd00::5', 'fd00:ec2::254']) ip('addr', 'add', `${address}/128`, 'dev', 'lo')
// Public and translated addresses are delivered here, too.
ip('route', 'add', 'local', '93.184.0.0/16', 'dev', 'lo')
ip('-6', 'route', 'add', 'local', '64:ff9b::/96', 'dev', 'lo')
const resolvConf = join(tempFolder(), 'resolv.conf')
writeFileSync(resolvConf, 'nameserver 127.0.0.1\n')
execFileSync('mount', ['--bind', resolvConf, '/etc/resolv.conf'])

/** What reached a private address, and what reached the one that is allowed. */
const reached: string[] = []
const allowed: string[] = []
const asked = await openNames()

const server = createServer(({ url = '/', headers: { host = '' } }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://page')
  const part = Number(searchParams.get('part') ?? 0)
  if (pathname === '/redirect')
    return response.writeHead(302, { location: encodeURI(searchParams.get('to') ?? '') }).end()
  const parts: Record<string, string> = {
    '/all': pageOf([...HOSTS.slice(part * HOSTS_A_PAGE, (part + 1) * HOSTS_A_PAGE), ALLOWED]),
    '/datagrams': DATAGRAMS,
    '/rebinds': `<script>(async () => { for (let n = 0; n < 6; n++) await fetch('/again?' + n).catch(() => {}) })()</script>`,
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
  response.end(`<!doctype html><title>${host}</title><p>A page</p>${parts[pathname] ?? ''}`)
})
const pageOf = (hosts: readonly string[]) =>
  hosts
    .flatMap((host) =>
      Object.values(WAYS).map((html) => html.replaceAll('HOST', host).replaceAll('KEY', encodeURIComponent(host))),
    )
    .join('\n')
const note = ({ localAddress = '' }: Socket, what: string) => {
  const at = localAddress.replace(/^::ffff:/, '')
  if (at === ALLOWED) allowed.push(what)
  else if (!at.startsWith('93.184.')) reached.push(`${at} ${what}`)
}
server.on('connection', (socket) => note(socket, 'connection'))
server.on('request', ({ socket, url = '' }) => note(socket, url.replace(/\?.*/, '')))
server.on('upgrade', ({ socket, url = '' }) => {
  note(socket, url.replace(/\?.*/, ''))
  socket.destroy()
})
await new Promise<void>((resolve) => server.listen(PORT, '::', resolve))
for (const port of DATAGRAM_PORTS)
  createSocket('udp6')
    .on('message', () => reached.push(`datagram ${port}`))
    .bind(port, '::')

const site = 'http://attacker.example'
/** Opens each address in turn, goes on after a failure, and gives those that opened. */
const visit = (...urls: string[]) => ({
  tool: 'script',
  input: {
    timeout_s: 120,
    code: `const opened = []
      for (const url of ${JSON.stringify(urls)}) try {
        await navigate(url)
        opened.push(url)
        if (/all|datagrams|rebinds/.test(url)) await wait({ text: 'nothing', s: 2 })
      } catch {}
      return opened`,
  },
})
const pages = Array.from({ length: Math.ceil(HOSTS.length / HOSTS_A_PAGE) }, (_, part) => `${site}/all?part=${part}`)
const redirected = HOSTS.filter((_, n) => n % 4 === 0).map((host) => `${site}/redirect?to=http://${host}/redirected`)
const steps = [
  visit(...HOSTS.map((host) => `http://${host}/navigated`)),
  visit(...redirected),
  visit(...pages, `${site}/datagrams`, 'http://rebind.example/rebinds'),
  visit(`http://${ALLOWED}/navigated`, `${site}/redirect?to=http://${ALLOWED}/redirected`),
  { answer: 'Done.' },
]
const script = join(tempFolder(), 'script.json')
writeFileSync(script, JSON.stringify({ scripts: [{ think_ms: 0, steps }] }))
const service = await openService({
  env: {
    ...{ NODE_ENV: 'production', BROWSERS: '1', BROWSER_ALLOW_CIDRS: ALLOWED },
    ...{ LLM_PROVIDER: 'scripted', LLM_SCRIPT: script },
  },
})
// In production a key is not printed.
const key = readFileSync(join(service.dataDir, 'first-key'), 'utf8').trim()
const api = new Api(service.url, key)
const { status, json } = await api.post('/v1/tasks', {
  task: 'Try',
  browser: { pool: 'default' },
  timeout_seconds: 300,
})
if (status !== 201) throw new Error(JSON.stringify(json))
const task = await finished(api, json.id, 300_000)
const told = JSON.stringify(task.turns)
console.log(
  JSON.stringify({ reached, allowed, asked, ended: task.ended_by, steps: task.steps, told, output: service.output }),
)
await service.stop()
process.exit(0)
