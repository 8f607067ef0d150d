import type { Ports } from '../../../actors/runtime/ports.ts'
import { onInterrupt } from '../../../src/cli/interrupt.ts'
import { dieOfBugs } from '../../../src/cli/terminal.ts'
import { readConfig } from '../../../src/config/config.ts'
import { startService } from '../../../src/main.ts'
import { openLog } from '../../../src/observe/log.ts'
import { FAULTS, type Fault } from './faults.ts'

/**
 * The service as a process of its own, with ports that throw: at each SIGUSR2 the next of `FAULTS` is armed, throws
 * once at its next use, and says so on a line.
 */
const waiting = [...FAULTS]
let armed: Fault | undefined

function looking(port: object, path: string): object {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      const here = `${path}.${String(name)}`
      if (typeof value === 'object' && value !== null) return looking(value, here)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const fault = armed
        if (fault?.port === here && (!fault.when || fault.when(args))) {
          armed = undefined
          process.stdout.write(`Thrown: ${fault.name}\n`)
          throw new Error(`injected at ${fault.name}`)
        }
        return value.apply(target, args)
      }
    },
  })
}

const wrapped = (ports: Ports): Ports => {
  const names = ['store', 'model', 'tools', 'outbox', 'webhook', 'clock', 'ids'] as const
  return { ...ports, ...Object.fromEntries(names.map((name) => [name, looking(ports[name], name)])) }
}

const config = readConfig(process.env)
const log = openLog({ level: config.logLevel, pretty: false })
dieOfBugs((error) => log.error({ err: error }, 'An error that nobody caught.'))
process.on('SIGUSR2', () => {
  armed = waiting.shift()
})
const service = await startService({ config, log, wrap: { ports: wrapped } })
console.log(`Key: ${service.firstKey}`)
onInterrupt(() => void service.stop().then(() => process.exit(0)))
