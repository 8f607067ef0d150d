import { ROOT } from '../harness/cache.ts'
import { type Outcome, openStage, type Stage } from '../harness/stage.ts'
import type { EvalTask } from '../harness/task.ts'
import { NO_INPUTS } from '../recipes.ts'
import { line } from '../report.ts'
import { ADMINER } from './adminer.ts'
import type { App, Hears, MessageKind, RunningApp } from './app.ts'
import { DJANGO } from './django.ts'
import { DOKUWIKI } from './dokuwiki.ts'
import { FLASK_ADMIN } from './flask-admin.ts'
import { MAILDEV } from './maildev.ts'
import { MEDIAWIKI } from './mediawiki.ts'
import { NICEGUI } from './nicegui.ts'
import { NODE_RED } from './node-red.ts'
import { Noise } from './noise.ts'
import { RADICALE } from './radicale.ts'
import { ROUNDUP } from './roundup.ts'
import { SQLITE_WEB } from './sqlite-web.ts'
import { SUPERVISOR } from './supervisor.ts'
import { TIDDLYWIKI } from './tiddlywiki.ts'
import { TRAC } from './trac.ts'
import { VERDACCIO } from './verdaccio.ts'
import { WAGTAIL } from './wagtail.ts'

const APPS: readonly App[] = [
  DJANGO,
  SQLITE_WEB,
  FLASK_ADMIN,
  TRAC,
  TIDDLYWIKI,
  MAILDEV,
  RADICALE,
  NODE_RED,
  ROUNDUP,
  ADMINER,
  SUPERVISOR,
  DOKUWIKI,
  MEDIAWIKI,
  WAGTAIL,
  VERDACCIO,
  NICEGUI,
]

/** A message of an application, and whether the answer of the act that caused it told it. */
interface Message {
  readonly app: string
  readonly task: string
  readonly kind: MessageKind
  readonly told: boolean
  readonly message: RegExp
}

/** What one version of the browser did in all applications. */
interface Run {
  readonly outcomes: (Outcome & { readonly app: string })[]
  readonly messages: Message[]
  readonly noise: Map<string, Noise>
}

/**
 * Does the tasks of real applications, one after the other: each leaves its application as the next one finds it. Prints
 * which messages were told, and how much of what was told is noise; for another version of the project also what this
 * one takes of its characters.
 */
export async function appsSuite(root: string, only: string, verbose: boolean): Promise<Outcome[]> {
  const { outcomes, messages, noise } = await run(root, only, verbose)
  console.log(`\n${messageTable(messages)}\n\n${appTable(outcomes, noise)}`)
  if (verbose) for (const each of noise.values()) console.log(each.listing())
  if (root !== ROOT) console.log(`\n${charsBeside(await run(ROOT, only, verbose), outcomes)}`)
  return outcomes
}

async function run(root: string, only: string, verbose: boolean): Promise<Run> {
  const stage = await openStage(root, verbose)
  const all: Run = { outcomes: [], messages: [], noise: new Map() }
  try {
    for (const app of APPS) {
      const tasks = app.tasks.filter(({ name }) => name.includes(only))
      if (tasks.length === 0) continue
      const running = await app.start()
      const noise = new Noise(stage.port, running.url)
      all.noise.set(app.name, noise)
      try {
        for (const { name, about, solve, done } of tasks) {
          const hears: Hears = (kind, answer, message) =>
            all.messages.push({ app: app.name, task: name, kind, told: message.test(answer), message })
          const verify = async () => (done ? wrongWith(running, ...done) : '')
          const outcome = await stage.run(
            { name, about, solve: (hands) => solve(hands, running.url, hears), verify },
            noise.take,
          )
          all.outcomes.push({ ...outcome, app: app.name })
          console.log(line(outcome))
        }
      } finally {
        await running.close()
      }
    }
  } finally {
    await stage.close()
  }
  return all
}

/** By application: tasks done, characters that each took, and noise among them. */
function appTable(outcomes: Run['outcomes'], noise: Run['noise']): string {
  const rows = [...noise].map(([app, heard]) => {
    const own = outcomes.filter((outcome) => outcome.app === app)
    const done = own.filter(({ ok }) => ok)
    return `| ${app} | ${done.length} of ${own.length} | ${Math.round(charsOf(own) / own.length)} | ${heard.summary()} |`
  })
  return ['| application | tasks done | characters a task | noise |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

const charsOf = (outcomes: readonly Outcome[]): number => outcomes.reduce((sum, { chars }) => sum + chars, 0)

/** What the tasks that both versions did took of characters, by application and in all. */
function charsBeside(now: Run, before: Run['outcomes']): string {
  const pairs = now.outcomes.flatMap((is) => {
    const was = before.find(({ name, ok }) => name === is.name && ok)
    return was && is.ok ? [{ is, was }] : []
  })
  const row = (name: string, some: typeof pairs) => {
    const [is, was] = [charsOf(some.map((pair) => pair.is)), charsOf(some.map((pair) => pair.was))]
    return `| ${name} | ${some.length} | ${was} | ${is} | ${(is / was).toFixed(2)} |`
  }
  const apps = [...new Set(pairs.map(({ is }) => is.app))]
  const missing = now.outcomes.filter(({ name }) => !pairs.some(({ is }) => is.name === name))
  return [
    '| characters | tasks that both did | other version | this version | share |',
    '| --- | --- | --- | --- | --- |',
    ...apps.map((app) =>
      row(
        app,
        pairs.filter(({ is }) => is.app === app),
      ),
    ),
    row('all', pairs),
    `Left out: ${missing.map(({ name, ok }) => `${name} (${ok ? 'other' : 'this'} version)`).join(', ') || 'none'}`,
  ].join('\n')
}

/**
 * [J4, J6] Each task of an application by its solver and then by its recipe, each time on its first data. Those that only
 * read, or need what another task left, have nothing to play.
 */
export async function playApps(
  stage: Stage,
  only: string,
  told: (name: string, result: Awaited<ReturnType<Stage['played']>>) => void,
): Promise<void> {
  for (const app of APPS)
    for (const { name, about, solve, done } of app.tasks.filter((task) => task.done && task.name.includes(only))) {
      const at = (running: RunningApp): EvalTask => ({
        name,
        about,
        solve: (hands) => solve(hands, running.url, () => {}),
        verify: async () => (done ? wrongWith(running, ...done) : ''),
      })
      const played = async (): ReturnType<Stage['played']> => {
        const first = await app.start()
        const recorded = await stage.recorded(at(first)).finally(() => first.close())
        if (recorded.why !== '') return { how: 'nothing to play', why: recorded.why }
        const second = await app.start()
        const moved = [[first.url, second.url]] as const
        return stage.played(at(second), recorded, NO_INPUTS, moved).finally(() => second.close())
      }
      told(name, await played().catch((error: unknown) => ({ how: 'nothing to play' as const, why: String(error) })))
    }
}

const KINDS: readonly MessageKind[] = ['saved', 'refused', 'field error', 'alert', 'toast']

/** By application and kind, how many messages were told, and each that was not. */
function messageTable(messages: readonly Message[]): string {
  const cell = (some: readonly Message[]) =>
    some.length === 0 ? '–' : `${some.filter(({ told }) => told).length} of ${some.length}`
  const row = (name: string, some: readonly Message[]) =>
    `| ${[name, ...KINDS.map((kind) => cell(some.filter((each) => each.kind === kind))), cell(some)].join(' | ')} |`
  const apps = [...new Set(messages.map(({ app }) => app))]
  return [
    `| messages told by the act that caused them | ${KINDS.join(' | ')} | all |`,
    `| --- |${' --- |'.repeat(KINDS.length + 1)}`,
    ...apps.map((app) =>
      row(
        app,
        messages.filter((message) => message.app === app),
      ),
    ),
    row('all', messages),
    ...messages.filter(({ told }) => !told).map(({ task, message }) => `Not told: ${task}: ${message}`),
  ].join('\n')
}

async function wrongWith(app: RunningApp, question: string, wanted: unknown): Promise<string> {
  const answer = await app.ask(question)
  return JSON.stringify(answer) === JSON.stringify(wanted) ? '' : `${question} is ${JSON.stringify(answer)}`
}
