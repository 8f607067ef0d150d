import { get, type IncomingMessage } from 'node:http'
import type { LoadCalls } from '../load.ts'
import { spread } from '../parts/numbers.ts'
import type { Remote } from '../remote.ts'
import { percent, type Section, short, spreadText } from '../report/section.ts'
import { shareOf } from '../report/share.ts'
import { type OpenService, type Stage, using } from '../stage.ts'
import { crowd, steadily } from './steady.ts'

const AT_ONCE = 50
const STEPS = 10
/** Of those who look, every other one stops reading after its first bytes. */
const VIEWERS = 20

type Way = 'not watched' | 'nobody looks' | 'looked at'
const WAYS: readonly Way[] = ['not watched', 'nobody looks', 'looked at']

interface Figures {
  readonly way: Way
  readonly stepsPerS: number
  readonly cpuPerStep: number
  readonly mainPerStep: number
  readonly ownP99: number
  readonly readBytesPerS: number
}

/**
 * What watching costs: a service that nobody can look at, one at which nobody looks, and one at which many look, some
 * of whom do not read. The three take turns within each round, so that a busy moment of the machine meets all.
 */
export async function measureInspector(stage: Stage): Promise<Section> {
  const open = WAYS.map((way) => stage.service({ unwatched: way === 'not watched' }))
  return using([...(await Promise.all(open)), await stage.load()], async (...remotes) => {
    const load = remotes.at(-1) as Remote<LoadCalls>
    const services = remotes.slice(0, -1) as OpenService[]
    const groups: number[] = []
    for (const service of services) groups.push(await crowd(stage, service, load))
    const rounds: Figures[] = []
    const measure = async (index: number, seconds: number): Promise<Figures | null> => {
      const [way, service, group] = [WAYS[index], services[index], groups[index]]
      if (way === undefined || service === undefined || group === undefined) return null
      const lookers = way === 'looked at' ? await look(service) : null
      const from = performance.now()
      const { metered, used } = await steadily(service, load, { group, atOnce: AT_ONCE, seconds, steps: STEPS })
      const bytes = lookers?.close() ?? 0
      return {
        way,
        stepsPerS: (metered.steps / used.wallMs) * 1_000,
        cpuPerStep: used.cpuMs / metered.steps,
        mainPerStep: (used.mainMs ?? used.cpuMs) / metered.steps,
        ownP99: metered.own.p99,
        readBytesPerS: (bytes / (performance.now() - from)) * 1_000,
      }
    }
    for (const index of WAYS.keys()) await measure(index, stage.size(4, 0.7))
    for (const round of stage.rounds) {
      for (const place of WAYS.keys()) {
        const figures = await measure((place + round) % WAYS.length, stage.size(4, 0.7))
        if (figures) rounds.push(figures)
      }
    }
    const shares: Shares[] = []
    const unseen = WAYS.indexOf('nobody looks')
    for (const round of stage.rounds) {
      const file = stage.file(`watching-${round}.cpuprofile`)
      await services[unseen]?.ask.profile()
      await measure(unseen, stage.size(4, 0.7))
      await services[unseen]?.ask.profiled(file)
      shares.push({ inspection: shareOf(file, [], KEPT, METRICS), metrics: shareOf(file, METRICS, []) })
    }
    return section(rounds, shares)
  })
}

/** What measures: its own functions. What is kept: all of it. */
const METRICS = [/\/src\/metrics\.ts$/, /\/prom-client\//]
const KEPT = [/\/actors\/inspection\//, /\/src\/traces\.ts$/]

/** Of the time on the JavaScript thread. */
interface Shares {
  readonly inspection: number
  readonly metrics: number
}

function section(rounds: readonly Figures[], shares: readonly Shares[]): Section {
  const part = (pick: (share: Shares) => number) => {
    const { median, min, max } = spread(shares.map(pick))
    return `${percent(median)} (${percent(min)} to ${percent(max)})`
  }
  const of = (way: Way) => rounds.filter((figures) => figures.way === way)
  // Each is compared with the one of its own round.
  const dearer = (way: Way, than: Way, pick: (figures: Figures) => number) => {
    const base = of(than).sort(byRound(rounds))
    return spread(of(way).map((figures, n) => pick(figures) / pick(base[n] ?? figures) - 1))
  }
  const more = (way: Way, than: Way) => {
    const { median, min, max } = dearer(way, than, ({ cpuPerStep }) => cpuPerStep)
    return `${percent(median)} (${percent(min)} to ${percent(max)})`
  }
  const columns: readonly (readonly [string, (figures: Figures) => number])[] = [
    ['steps/s', (f) => f.stepsPerS],
    ['own time p99, ms', (f) => f.ownP99],
    ['CPU, ms/step', (f) => f.cpuPerStep],
    ['of it main thread', (f) => f.mainPerStep],
    ['read by viewers, kB/s', (f) => f.readBytesPerS / 1_000],
  ]
  return {
    title: 'The price of the inspector',
    tables: [
      {
        head: [`${AT_ONCE} tasks at a time`, ...columns.map(([head]) => head)],
        rows: WAYS.map((way) => [way, ...columns.map(([, pick]) => spreadText(spread(of(way).map(pick))))]),
      },
    ],
    notes: [
      `With nobody looking, by the CPU profile, of the time on the JavaScript thread: inspection ${part((share) => share.inspection)}, metrics ${part((share) => share.metrics)}.`,
      `CPU of a step with nobody looking, above that of a service that nobody can look at: ${more('nobody looks', 'not watched')}.`,
      `With ${short(VIEWERS)} who look at everything, ${short(VIEWERS / 2)} of whom do not read: ${more('looked at', 'nobody looks')} above that with nobody looking.`,
    ],
    plots: [],
    figures: { rounds, shares },
  }
}

const byRound = (rounds: readonly Figures[]) => (a: Figures, b: Figures) => rounds.indexOf(a) - rounds.indexOf(b)

/** Lets the owner look many times at everything. `close` gives the bytes that were read. */
async function look(service: OpenService): Promise<{ close(): number }> {
  const key = await service.ask.ownerKey()
  let bytes = 0
  const streams = await Promise.all(
    Array.from(
      { length: VIEWERS },
      (_, n) =>
        new Promise<IncomingMessage>((resolve, reject) => {
          const asked = get(
            `http://127.0.0.1:${service.httpPort}/inspector/events`,
            { headers: { authorization: `Bearer ${key}` }, agent: false },
            (answer) => {
              if (answer.statusCode !== 200) reject(new Error(`A viewer was refused: ${answer.statusCode}`))
              else if (n % 2 === 1) answer.pause()
              else answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
              answer.on('error', () => {})
              resolve(answer)
            },
          )
          asked.on('error', reject)
        }),
    ),
  )
  return {
    close() {
      for (const stream of streams) stream.destroy()
      return bytes
    },
  }
}
