import { cpSync } from 'node:fs'
import { get } from 'node:http'
import { type Figure, short } from '../figures.ts'
import { type Testbed, wait } from '../testbed.ts'
import { MB } from '../usage.ts'

const TASKS_EACH = 5
const LOOK_MS = 5
const HEALTH_MS_MAX = 120_000

/** After `kill -9`: from the start of the process until health answers, and what it takes then. */
export async function measureRestart(bed: Testbed): Promise<Figure[]> {
  const tasks = bed.size(10_000, 50)
  const workspaces = bed.size(100_000, 200)
  const stores = [
    { name: `${short(tasks)} kept tasks`, expected: tasks, dataDir: await storeWithTasks(bed, tasks) },
    { name: `${short(workspaces)} idle workspaces`, expected: 0, dataDir: await storeWithWorkspaces(bed, workspaces) },
  ]
  const figures: Figure[] = []
  for (const { name, expected, dataDir } of stores) {
    const rounds = []
    for (const _ of bed.rounds) rounds.push(await restart(bed, dataDir, expected))
    figures.push(
      { what: `restart with ${name}`, unit: 's', rounds: rounds.map(({ ms }) => ms / 1_000), atMost: 3 },
      { what: 'CPU of the process until then', unit: 's', rounds: rounds.map(({ cpuMs }) => cpuMs / 1_000) },
      { what: 'resident then', unit: 'MB', rounds: rounds.map(({ rssBytes }) => rssBytes / MB), atMost: 350 },
    )
  }
  return figures
}

/** A store with running tasks whose model hangs. */
async function storeWithTasks(bed: Testbed, tasks: number): Promise<string> {
  const dataDir = bed.dataDir()
  const [service, load] = [await bed.service({ dataDir }), await bed.load()]
  const browsers = await service.ask.seats(tasks / TASKS_EACH, 1)
  await load.ask.connect(service.relayPort, browsers)
  await service.ask.startTasks(browsers, TASKS_EACH, 'hang')
  await service.kill()
  await load.kill()
  return dataDir
}

/** A store with workspaces whose last task was started a while ago. */
async function storeWithWorkspaces(bed: Testbed, workspaces: number): Promise<string> {
  const dataDir = bed.dataDir()
  const [service, load] = [await bed.service({ dataDir }), await bed.load()]
  const browsers = await service.ask.seats(1, 1)
  await load.ask.connect(service.relayPort, browsers)
  await service.ask.startTasks(browsers, 1, 1)
  while ((await service.ask.activeTasks()) > 0) await wait(10)
  await service.ask.idleWorkspaces(browsers[0]?.workspaceId ?? '', workspaces)
  await service.kill()
  await load.kill()
  return dataDir
}

async function restart(bed: Testbed, kept: string, expected: number) {
  // A restart removes rows: each begins with the same store.
  const dataDir = bed.dataDir()
  cpSync(kept, dataDir, { recursive: true })
  const from = performance.now()
  const service = await bed.service({ dataDir })
  await healthy(service.httpPort)
  const ms = performance.now() - from
  const activeTasks = await service.ask.activeTasks()
  if (activeTasks !== expected) throw new Error(`${activeTasks} of ${expected} tasks came back`)
  const { rssBytes, cpuMs } = await service.ask.usage(false)
  await service.kill()
  return { ms, cpuMs, rssBytes }
}

async function healthy(port: number): Promise<void> {
  const until = performance.now() + HEALTH_MS_MAX
  const asked = () =>
    new Promise<number>((resolve) => {
      get({ host: '127.0.0.1', port, path: '/v1/health' }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      }).on('error', () => resolve(0))
    })
  while ((await asked()) !== 200) {
    if (performance.now() > until) throw new Error('Health did not answer')
    await wait(LOOK_MS)
  }
}
