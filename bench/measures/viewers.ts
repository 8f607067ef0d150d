import { type ClientRequest, request } from 'node:http'
import type { Figure } from '../figures.ts'
import type { PairedBrowser } from '../paired-browsers.ts'
import { type OpenService, type Testbed, wait } from '../testbed.ts'
import { between, MB } from '../usage.ts'

const VIEWERS = 1_000
const TASKS = 16
const VIEWERS_A_TASK_MAX = 64
/** A step takes this long, and a task may have fifty of them. */
const THINKS_MS = 330
const STEPS = 48
const SECONDS = 4

/** 1,000 viewers of one running task, of which 64 are admitted, and of sixteen, beside nobody: memory and CPU of the service. */
export async function measureViewers(bed: Testbed): Promise<Figure[]> {
  const [viewers, seconds] = [bed.size(VIEWERS, 40), bed.size(SECONDS, 0.5)]
  const [service, load] = [await bed.service({ thinksMs: THINKS_MS }), await bed.load()]
  const seats = await service.ask.seats(TASKS, 1)
  const group = await load.ask.connect(service.relayPort, seats)
  const used = async () => {
    const before = await service.ask.usage(true)
    await wait(seconds * 1_000)
    return { ...between(before, await service.ask.usage(false)), rssBytes: before.rssBytes }
  }

  const figures: Figure[] = []
  for (const tasks of [1, TASKS]) {
    const running = { httpPort: service.httpPort, atOnce: TASKS, seconds: 1, tasksMax: TASKS, steps: STEPS }
    const ended = load.ask.tasks(group, running)
    const ids = await Promise.all(seats.map((seat) => runningTask(service, seat)))
    const alone = await used()
    const streams = await Promise.all(
      Array.from({ length: viewers }, (_, i) => {
        const at = i % tasks
        return watch(service, seats[at] as PairedBrowser, ids[at] as string)
      }),
    )
    const watched = await used()
    const admitted = streams.filter(({ status }) => status === 200).length
    const events = streams.reduce((sum, stream) => sum + stream.events(), 0)
    for (const { sent } of streams) sent.destroy()
    await ended
    const wanted = Math.min(viewers, tasks * VIEWERS_A_TASK_MAX)
    if (admitted !== wanted) throw new Error(`${admitted} viewers of ${tasks} tasks were admitted, not ${wanted}`)
    const of = `${viewers} viewers of ${tasks === 1 ? 'one task' : `${tasks} tasks`}`
    figures.push(
      { what: `${of}: admitted`, unit: '', rounds: [admitted] },
      { what: `${of}: events delivered`, unit: '/s', rounds: [events / seconds] },
      { what: `${of}: CPU more than with none`, unit: '% of a core', rounds: [percent(watched) - percent(alone)] },
      { what: `${of}: resident memory more`, unit: 'MB', rounds: [(watched.rssBytes - alone.rssBytes) / MB] },
    )
  }
  return figures
}

const percent = ({ cpuMs, wallMs }: ReturnType<typeof between>) => (100 * cpuMs) / wallMs

/** Waits for the running task of a workspace that has one. */
async function runningTask({ httpPort }: OpenService, { key }: PairedBrowser): Promise<string> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${httpPort}/v1/tasks?status=running&limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const { tasks } = (await answer.json()) as { tasks: { id: string }[] }
    if (tasks[0]) return tasks[0].id
    await wait(50)
  }
}

interface Stream {
  readonly sent: ClientRequest
  readonly status: number
  /** Events that have come since it was opened. */
  events(): number
}

function watch({ httpPort }: OpenService, { key }: PairedBrowser, id: string): Promise<Stream> {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
  const path = `/v1/tasks/${id}/events?after=now`
  let events = 0
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: httpPort, path, headers, agent: false }, (answer) => {
      answer.setEncoding('utf8').on('data', (text: string) => (events += text.split('\nevent: ').length - 1))
      answer.on('error', () => {})
      resolve({ sent, status: answer.statusCode ?? 0, events: () => events })
    })
    sent.on('error', reject)
    sent.end()
  })
}
