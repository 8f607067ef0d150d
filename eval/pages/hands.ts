import { type Act, handsOnApps } from '../apps/hands.ts'
import { ROOT } from '../harness/cache.ts'
import { refIn } from '../harness/hands.ts'
import type { Answer } from '../harness/relay.ts'
import { openStage, type Stage } from '../harness/stage.ts'
import type { EvalTask } from '../harness/task.ts'
import { BUSY, REPORT } from './busy.ts'
import { TYPICAL } from './pages.ts'

const ROUNDS = 6
const ACTS: readonly Act[] = ['look', 'click', 'type', 'navigate']
type Times = Record<Act, number[]>

/** What every page has: a button and a field whose effects come at once, and another page. */
const OWN_PARTS = `<p id="says">Nothing yet.</p><button onclick="says.textContent = 'Pressed ' + ++pressed">Press me</button>
<label>Write here <input oninput="says.textContent = 'Written ' + this.value.length"></label><script>let pressed = 0</script>`

/**
 * Measures how long a look, a click, typing and a navigation take with their effects in the answer, on typical pages and
 * on pages that are busy by themselves, or on nine pages of real applications. With another folder of the project both
 * versions are measured alternately, page by page. Prints a table in Markdown.
 */
export async function measureHands(other: string | null, onApps: boolean): Promise<void> {
  const versions = [...(other === null ? [] : [['before', other] as const]), ['now', ROOT] as const]
  const stages: (readonly [string, Stage])[] = []
  for (const [name, root] of versions) stages.push([name, await openStage(root, false)])
  console.log(`| page | version | ${ACTS.map((act) => `${act} p50 | p90`).join(' | ')} |`)
  console.log(`| --- | --- |${' --- | --- |'.repeat(ACTS.length)}`)
  const all = new Map<string, Times>()
  const take = (name: string, version: string, times: Times) => {
    console.log(rowOf(name, version, times))
    const sum = all.get(version) ?? noTimes()
    for (const act of ACTS) sum[act].push(...times[act])
    all.set(version, sum)
  }
  if (onApps) await handsOnApps(stages, take)
  else {
    for (const [name, page] of Object.entries({ ...TYPICAL, ...BUSY }))
      for (const [version, stage] of stages) take(name, version, await measured(stage, name, page))
  }
  for (const [version, times] of all) console.log(rowOf('all', version, times))
  for (const [, stage] of stages) await stage.close()
}

const noTimes = (): Times => ({ look: [], click: [], type: [], navigate: [] })

async function measured(stage: Stage, name: string, page: string): Promise<Times> {
  const times = noTimes()
  const task: EvalTask = {
    name,
    about: 'hands',
    page: /<main[^>]*>/.test(page) ? page.replace(/<main[^>]*>/, (main) => main + OWN_PARTS) : OWN_PARTS + page,
    paths: {
      '/next': `<h1>Another page</h1><p>With a few words on it.</p>`,
      '/poll': (_, response) => response.end('{}'),
      '/slow': (_, response) => void setTimeout(() => response.end('{}'), 60),
      '/report.js': (_, response) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(REPORT),
      '/stuck': (_, response) => void setTimeout(() => response.end('{}'), 4_000),
    },
    async solve(s) {
      const timed = async (act: Act, tool: string, input: object, shows: RegExp): Promise<Answer> => {
        const answer = await s.attempt(tool, input)
        if (answer.failed || !shows.test(answer.text)) throw new Error(`${name}, ${act}: ${answer.text.slice(0, 300)}`)
        times[act].push(answer.ms)
        return answer
      }
      for (let round = 0; round < ROUNDS; round += 1) {
        await s.open()
        const { text } = await timed('look', 'read_page', {}, /button "Press me"/)
        const [button, field] = [refIn(text, /button "Press me"/), refIn(text, /textbox "Write here"/)]
        await timed('click', 'computer', { action: 'left_click', ref: button }, /Pressed 1/)
        await timed('type', 'computer', { action: 'type', ref: field, text: 'green tea' }, /Written 9/)
        await timed('navigate', 'navigate', { url: `${s.origins.own}/next` }, /Another page/)
      }
    },
  }
  const { ok, why } = await stage.run(task)
  if (!ok) console.error(why)
  return times
}

function rowOf(page: string, version: string, times: Times): string {
  const cells = ACTS.map((act) => {
    const sorted = [...times[act]].sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
    return sorted.length === 0 ? '– | –' : `${Math.round(at(0.5) ?? 0)} | ${Math.round(at(0.9) ?? 0)}`
  })
  return `| ${page} | ${version} | ${cells.join(' | ')} |`
}
