import { type Outcome, openStage } from '../harness/stage.ts'
import { line } from '../report.ts'
import type { App, Hears, MessageKind, RunningApp } from './app.ts'
import { DJANGO } from './django.ts'
import { FLASK_ADMIN } from './flask-admin.ts'
import { MAILDEV } from './maildev.ts'
import { NODE_RED } from './node-red.ts'
import { Noise } from './noise.ts'
import { RADICALE } from './radicale.ts'
import { SQLITE_WEB } from './sqlite-web.ts'
import { TIDDLYWIKI } from './tiddlywiki.ts'
import { TRAC } from './trac.ts'

const APPS: readonly App[] = [DJANGO, SQLITE_WEB, FLASK_ADMIN, TRAC, TIDDLYWIKI, MAILDEV, RADICALE, NODE_RED]

/** A message of an application, and whether the answer of the act that caused it told it. */
interface Message {
  readonly app: string
  readonly task: string
  readonly kind: MessageKind
  readonly told: boolean
  readonly message: RegExp
}

/**
 * Does the tasks of real applications, one after the other: each leaves its application as the next one finds it. Prints
 * which messages were told, and how much of what was told is noise.
 */
export async function appsSuite(root: string, only: string, verbose: boolean): Promise<Outcome[]> {
  const stage = await openStage(root, verbose)
  const outcomes: Outcome[] = []
  const messages: Message[] = []
  const noise = new Noise(stage.port)
  try {
    for (const app of APPS) {
      const tasks = app.tasks.filter(({ name }) => name.includes(only))
      if (tasks.length === 0) continue
      const running = await app.start()
      noise.at(running.url)
      try {
        for (const { name, about, solve, done } of tasks) {
          const hears: Hears = (kind, answer, message) =>
            messages.push({ app: app.name, task: name, kind, told: message.test(answer), message })
          const verify = async () => (done ? wrongWith(running, ...done) : '')
          const outcome = await stage.run(
            { name, about, solve: (hands) => solve(hands, running.url, hears), verify },
            noise.take,
          )
          outcomes.push(outcome)
          console.log(line(outcome))
        }
      } finally {
        await running.close()
      }
    }
  } finally {
    await stage.close()
  }
  console.log(`\n${messageTable(messages)}\n\n${noise.summary()}`)
  if (verbose) for (const [kind, lines] of noise.examples) console.log(`${kind}:\n  ${lines.slice(-40).join('\n  ')}`)
  return outcomes
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
