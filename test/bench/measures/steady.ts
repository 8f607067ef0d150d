import type { LoadCalls } from '../load.ts'
import type { Metered } from '../parts/meter.ts'
import type { Seat } from '../parts/seed.ts'
import type { Loaded } from '../parts/starter.ts'
import { between } from '../parts/usage.ts'
import type { Remote } from '../remote.ts'
import type { OpenService, Stage } from '../stage.ts'

/** Many workspaces, each with a browser, so that the limits of each are kept. Gives the group of the browsers. */
export async function crowd(
  stage: Stage,
  service: OpenService,
  load: Remote<LoadCalls>,
  seats = stage.size(2_000, 80),
) {
  const made: readonly Seat[] = await service.ask.seats(seats, 1)
  return (await load.ask.connect(service.relayPort, made)).group
}

export interface Steady {
  readonly metered: Metered
  readonly used: ReturnType<typeof between>
  readonly loaded: Loaded
}

/** The first part of a load, in which it gets under way, and its very end are left out. */
const RAMP = 0.2
const END_MS = 50
const SECONDS_MAX = 20
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface Size {
  readonly group: number
  readonly atOnce: number
  readonly seconds: number
  readonly steps: number
  readonly byStep?: boolean
}

/**
 * Puts the service under load, and says what it did in the steady part of it. On a machine so busy that not one step
 * was made in that time, it takes longer.
 */
export async function steadily(service: OpenService, load: Remote<LoadCalls>, size: Size): Promise<Steady> {
  for (let seconds = size.seconds; ; seconds *= 3) {
    const looked = await once(service, load, { ...size, seconds })
    if (looked.metered.steps > 0) return looked
    if (seconds > SECONDS_MAX) throw new Error(`No step was made in ${seconds} s`)
  }
}

async function once(service: OpenService, load: Remote<LoadCalls>, size: Size): Promise<Steady> {
  const { group, atOnce, seconds, steps, byStep = false } = size
  const under = { httpPort: service.httpPort, atOnce, seconds, tasksMax: 1_000_000, steps }
  const loading = load.ask.load(group, under)
  const look = async () => {
    await wait(seconds * 1_000 * RAMP)
    await service.ask.resetMeter(byStep)
    const before = await service.ask.usage(false)
    await wait(seconds * 1_000 * (1 - RAMP) - END_MS)
    const metered = await service.ask.meter()
    return { metered, used: between(before, await service.ask.usage(false)) }
  }
  const [loaded, looked] = await Promise.all([loading, look()])
  return { ...looked, loaded }
}
