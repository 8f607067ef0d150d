import { readConfig } from '../../src/config.ts'
import { openLog } from '../../src/log.ts'
import { type RunningService, startService } from '../../src/main.ts'
import { openModel } from '../../src/models/open.ts'
import { ownerKey } from '../../src/owner.ts'
import { toolbox } from '../../src/tools/toolbox.ts'
import { clientCost } from './parts/client-cost.ts'
import { modelThat, taskOf } from './parts/jobs.ts'
import { Meter } from './parts/meter.ts'
import { Profiler } from './parts/profile.ts'
import { inBites, type Seat, seedFinished, seedSeats } from './parts/seed.ts'
import { usageOfThis } from './parts/usage.ts'
import { serve } from './remote.ts'

/** The service in a process of its own, as in production, with a meter between its rooms. */

export interface ServiceSettings {
  readonly env: Readonly<Record<string, string>>
  /** Else the configured one. */
  readonly instantModel: boolean
  /** How long that model thinks. */
  readonly thinksMs: number
  readonly unwatched: boolean
}

const meter = new Meter()
const profiler = new Profiler()
let running: RunningService | null = null
let configured: ReturnType<typeof openModel> | null = null

function service(): RunningService {
  if (!running) throw new Error('The service has not been started')
  return running
}

/** Starts a task without HTTP, within the limits all the same. Gives its id. */
async function startTask({ workspaceId, sessionId }: Seat, steps: number | 'hang', paused: boolean): Promise<string> {
  const answer = await service().desk.startTask({
    door: 'http',
    workspaceId,
    apiKeyId: workspaceId,
    requestId: null,
    request: {
      task: taskOf(sessionId, steps),
      url: null,
      context: null,
      browserSessionId: sessionId,
      webhookUrl: null,
    },
  })
  if (!answer.ok) throw new Error(`A task was refused: ${answer.refusal.message}`)
  if (paused) await service().desk.pauseTask(workspaceId, answer.task.id, true)
  return answer.task.id
}

const calls = {
  async start({ env, instantModel: instant, thinksMs, unwatched }: ServiceSettings) {
    const config = readConfig({ ...env, NODE_ENV: 'production', LOG_LEVEL: 'error', HOST: '127.0.0.1' })
    const log = openLog({ level: config.logLevel })
    configured = instant ? null : openModel(config.llm, log)
    const from = performance.now()
    running = await startService({
      config,
      log,
      model: configured ?? modelThat(thinksMs),
      unwatched,
      wrap: { ports: (ports) => meter.ports(ports), desk: (desk) => meter.desk(desk) },
    })
    const { url, httpPort, relayPort, transport } = running
    return { url, httpPort, relayPort, transport, startMs: performance.now() - from }
  },

  seats: (workspaces: number, sessionsEach: number) => seedSeats(service().store, workspaces, sessionsEach),
  finished: (tasks: number) => seedFinished(service().store, tasks),

  /** So many tasks in each seat, past HTTP; resolves when they are kept. `paused`: their user takes them over at once. */
  async fill(seats: readonly Seat[], tasksEach: number, steps: number | 'hang', paused = false) {
    const started: string[] = []
    for (let n = 0; n < tasksEach; n++) {
      await inBites(seats.length, async (at) => started.push(await startTask(seats[at] as Seat, steps, paused)))
    }
    return started
  },

  usage: (collect: boolean) => usageOfThis(collect),
  ownerKey: () => ownerKey(service().store),
  counts: () => service().desk.counts(),
  resetMeter: (byStep: boolean) => meter.reset(byStep),
  meter: () => meter.read(),
  record: (on: boolean) => meter.record(on),
  clientCost(options: Parameters<typeof clientCost>[2]) {
    if (!configured) throw new Error('The model is in the process')
    return clientCost(configured, toolbox.specs(null), options)
  },
  profile: () => profiler.start(),
  profiled: (file: string) => profiler.stop(file),
  stop: () => running?.stop(),
}
export type ServiceCalls = typeof calls

serve(calls)
