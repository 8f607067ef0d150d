import { workspaceAddress } from '../machines/addresses.ts'
import { readConfig } from '../src/config/config.ts'
import { type RunningService, startService } from '../src/main.ts'
import { openLog } from '../src/observe/log.ts'
import { counts } from './counted/counts.ts'
import { PassedFiles } from './counted/passed.ts'
import { modelAnsweringAfter, taskText } from './job.ts'
import { Meter } from './meter.ts'
import { inBatches, insertIdleWorkspaces, insertPairedBrowsers, type PairedBrowser } from './paired-browsers.ts'
import { serve } from './remote.ts'
import { usageOfThis } from './usage.ts'

/** A process: the service as in production, with a meter between its rooms. */

export interface ServiceSettings {
  readonly env: Readonly<Record<string, string>>
  /** The model is in the process, and not the configured one. */
  readonly instantModel: boolean
  /** How long that model takes: this ± 50 %. */
  readonly thinksMs: number
}

const passed = new PassedFiles()
const meter = new Meter()
let running: RunningService | null = null

function service(): RunningService {
  if (!running) throw new Error('The service has not been started')
  return running
}

/** Starts a task without HTTP, within all limits. Returns its id. */
async function startTask({ workspaceId, sessionId }: PairedBrowser, steps: number | 'hang'): Promise<string> {
  const answer = await service().taskService.startTask({
    door: 'http',
    workspaceId,
    apiKeyId: workspaceId,
    requestId: null,
    request: {
      task: taskText(sessionId, steps),
      url: null,
      context: null,
      browserSessionId: sessionId,
      webhookUrl: null,
    },
  })
  if (!answer.ok) throw new Error(`A task was refused: ${answer.refusal.message}`)
  return answer.task.id
}

const calls = {
  async start({ env, instantModel, thinksMs }: ServiceSettings) {
    const config = readConfig({ ...env, NODE_ENV: 'production', LOG_LEVEL: 'error', HOST: '127.0.0.1' })
    running = await startService({
      config,
      log: openLog({ level: config.logLevel }),
      ...(instantModel ? { model: modelAnsweringAfter(thinksMs) } : {}),
      wrap: { ports: (ports) => meter.ports(ports), taskService: (taskService) => meter.taskService(taskService) },
    })
    return { httpPort: running.httpPort, relayPort: running.relayPort }
  },

  /** Workspaces with a key and so many paired browsers each. */
  seats: (workspaces: number, browsersEach: number) => insertPairedBrowsers(service().store, workspaces, browsersEach),

  /** So many workspaces that are like this one, whose tasks have ended. */
  async idleWorkspaces(workspaceId: string, count: number) {
    const { store } = service()
    for await (const row of store.actors()) {
      if (row.address === workspaceAddress(workspaceId)) return insertIdleWorkspaces(store, row, count)
    }
    throw new Error('The workspace has no row')
  },

  /** So many tasks in each browser; resolves to their ids when they are kept. */
  async startTasks(browsers: readonly PairedBrowser[], tasksEach: number, steps: number | 'hang') {
    const started: string[] = []
    for (let n = 0; n < tasksEach; n++) {
      await inBatches(browsers.length, async (at) => {
        started.push(await startTask(browsers[at] as PairedBrowser, steps))
      })
    }
    return started
  },

  usage: (collect: boolean) => usageOfThis(collect),
  activeTasks: async () => (await service().taskService.counts()).activeTasks,
  resetMeter: () => meter.reset(),
  meter: () => meter.read(),

  /** From now on what the drivers do is counted; only for a service that was started to be counted. */
  count: () => counts.begin(),
  counted: () => counts.read(),
  /** From now on the files are noted that a start and a step pass. */
  notePassed() {
    passed.begin()
    counts.onMoment = (part) => passed.moment(part)
  },
  passed: () => passed.read(),
}
export type ServiceCalls = typeof calls

serve(calls)
