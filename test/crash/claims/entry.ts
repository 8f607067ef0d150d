import type { Ports, Write } from '../../../actors/runtime/ports.ts'
import { readConfig } from '../../../src/config/config.ts'
import { startService } from '../../../src/main.ts'
import { openLog } from '../../../src/observe/log.ts'

/**
 * The service as a process that kills itself between the claim of an Idempotency-Key and the answer: each SIGUSR2 arms
 * the next moment, at the commit that keeps the next task.
 */
const MOMENTS = ['before', 'during', 'after'] as const
let armed = -1
process.on('SIGUSR2', () => {
  armed++
  process.stdout.write(`Armed: ${MOMENTS[armed]}\n`)
})

const die = () => process.kill(process.pid, 'SIGKILL')

const wrapped = (ports: Ports): Ports => ({
  ...ports,
  store: {
    ...ports.store,
    async commit(writes: readonly Write[]) {
      const moment = writes.some(({ kind }) => kind === 'task.insert') ? MOMENTS[armed] : undefined
      if (moment === 'before') die()
      const committed = ports.store.commit(writes)
      if (moment === 'during') setTimeout(die, 1)
      await committed
      if (moment === 'after') die()
      if (moment !== undefined) await new Promise(() => {})
    },
  },
})

const config = readConfig(process.env)
const service = await startService({
  config,
  log: openLog({ level: config.logLevel, pretty: false }),
  wrap: { ports: wrapped },
})
console.log(`Key: ${service.firstKey}`)
