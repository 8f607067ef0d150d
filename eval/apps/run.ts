import { type Outcome, openStage } from '../harness/stage.ts'
import { line } from '../report.ts'
import type { App, RunningApp } from './app.ts'
import { DJANGO } from './django.ts'
import { SQLITE_WEB } from './sqlite-web.ts'

const APPS: readonly App[] = [DJANGO, SQLITE_WEB]

/** Does the tasks of real applications, one after the other: each leaves its application as the next one finds it. */
export async function appsSuite(root: string, only: string, verbose: boolean): Promise<Outcome[]> {
  const stage = await openStage(root, verbose)
  const outcomes: Outcome[] = []
  try {
    for (const app of APPS) {
      const tasks = app.tasks.filter(({ name }) => name.includes(only))
      if (tasks.length === 0) continue
      const running = await app.start()
      try {
        for (const { name, about, solve, done } of tasks) {
          const verify = async () => (done ? wrongWith(running, ...done) : '')
          const outcome = await stage.run({ name, about, solve: (hands) => solve(hands, running.url), verify })
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
  return outcomes
}

async function wrongWith(app: RunningApp, question: string, wanted: unknown): Promise<string> {
  const answer = await app.ask(question)
  return JSON.stringify(answer) === JSON.stringify(wanted) ? '' : `${question} is ${JSON.stringify(answer)}`
}
