import { writeFileSync } from 'node:fs'
import { measureGrowth } from './measures/growth.ts'
import { measureInspector } from './measures/inspector.ts'
import { measurePaced } from './measures/paced.ts'
import { measureReads } from './measures/reads.ts'
import { measureRestart } from './measures/restart.ts'
import { measureSessions } from './measures/sessions.ts'
import { measureSteps } from './measures/steps.ts'
import { HELP, type Measure, type Options, readOptions } from './options.ts'
import { machine, writeReport } from './report/report.ts'
import { markdown, type Section } from './report/section.ts'
import { Stage } from './stage.ts'

/**
 * `npm run bench`: measures the service as a process of its own, everything on loopback, each figure beside a
 * reference of the same run. Prints tables as they are found; interrupted, it ends its processes and keeps what it has.
 */

const MEASURE: Readonly<Record<Measure, (stage: Stage) => Promise<Section>>> = {
  steps: measureSteps,
  paced: measurePaced,
  reads: measureReads,
  sessions: measureSessions,
  restart: measureRestart,
  growth: measureGrowth,
  inspector: measureInspector,
}

async function bench(options: Options): Promise<number> {
  const stage = new Stage(options)
  const found: Partial<Record<Measure, Section>> = {}
  const shape = machine(options)
  const finish = () => {
    stage.close()
    if (options.json) {
      const figures = Object.entries(found).map(([name, section]) => [name, section.figures] as const)
      writeFileSync(
        options.json,
        `${JSON.stringify({ machine: shape, options, ...Object.fromEntries(figures) }, null, 2)}\n`,
      )
      console.log(`Figures: ${options.json}`)
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      finish()
      process.exit(130)
    })
  console.log(`${shape.join('\n')}\n`)
  let failed = 0
  for (const name of options.only) {
    const from = performance.now()
    try {
      const section = await MEASURE[name](stage)
      found[name] = section
      console.log(`${markdown(section)}(${((performance.now() - from) / 1_000).toFixed(0)} s)\n`)
    } catch (error) {
      failed++
      console.error(`${name}: ${error instanceof Error ? error.message : error}\n`)
    }
  }
  finish()
  if (options.write && failed === 0) writeReport(shape, Object.values(found))
  return failed === 0 ? 0 : 1
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') console.log(HELP)
  else process.exit(await bench(options))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
