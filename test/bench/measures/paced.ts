import { spread, type Times } from '../parts/numbers.ts'
import { percent, type Section, spreadText } from '../report/section.ts'
import { type Stage, using } from '../stage.ts'
import { crowd, steadily } from './steady.ts'

const STEPS = 10
const AT_ONCE = 50
const WARM_UP_AT_ONCE = 500
/** What a quick model takes on average: hosted ones take longer. */
const THINKS_MS = 200

interface Figures {
  readonly stepsPerS: number
  readonly own: Times
  readonly ownOfCalls: Times
  readonly ownOfEnds: Times
  readonly cpuPerStep: number
  readonly ofOneCore: number
}

/**
 * Our own time of a step while the service is not at its limit. With a model that answers at once the tasks that run at
 * a time share all that the machine has, and a step waits for those of all others: this is what people wait for.
 */
export async function measurePaced(stage: Stage): Promise<Section> {
  return using([await stage.service({ thinksMs: THINKS_MS }), await stage.load()], async (service, load) => {
    const group = await crowd(stage, service, load)
    const size = { group, atOnce: AT_ONCE, seconds: stage.size(8, 2), steps: STEPS }
    // At this pace the engine would take minutes to know what is hot.
    await steadily(service, load, { ...size, atOnce: WARM_UP_AT_ONCE, seconds: stage.size(10, 1) })
    await steadily(service, load, size)
    const rounds: Figures[] = []
    for (const _ of stage.rounds) {
      const { metered, used } = await steadily(service, load, size)
      rounds.push({
        stepsPerS: (metered.steps / used.wallMs) * 1_000,
        own: metered.own,
        ownOfCalls: metered.ownOfCalls,
        ownOfEnds: metered.ownOfEnds,
        cpuPerStep: used.cpuMs / metered.steps,
        ofOneCore: used.cpuMs / used.wallMs,
      })
    }
    const of = (pick: (figures: Figures) => number) => spread(rounds.map(pick))
    const times = (pick: (figures: Figures) => Times) => [
      spreadText(of((f) => pick(f).p50)),
      spreadText(of((f) => pick(f).p99)),
    ]
    return {
      title: 'A service that is not at its limit',
      tables: [
        {
          head: ['tasks at a time', 'steps/s', 'CPU, ms/step', 'of one core'],
          rows: [
            [
              String(AT_ONCE),
              spreadText(of((f) => f.stepsPerS)),
              spreadText(of((f) => f.cpuPerStep)),
              percent(of((f) => f.ofOneCore).median),
            ],
          ],
        },
        {
          head: ['own time of a step', 'p50, ms', 'p99, ms'],
          rows: [
            ['from a result to the next call', ...times((f) => f.ownOfCalls)],
            ['from the last result to the task’s end', ...times((f) => f.ownOfEnds)],
            ['both', ...times((f) => f.own)],
          ],
        },
      ],
      notes: [
        `The model thinks for ${THINKS_MS / 2} to ${THINKS_MS * 1.5} ms, so that tasks do not march in step; browsers answer at once. The wait until all is kept is part of it.`,
      ],
      plots: [],
      figures: { thinksMs: THINKS_MS, rounds },
    }
  })
}
