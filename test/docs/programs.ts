import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { Running } from '../cli/command.ts'
import { installPythonClient, installTypescriptClient } from '../clients/packed.ts'
import { eventually } from '../support/eventually.ts'
import type { Plan, Seen } from '../support/model-endpoint.ts'
import { freePort } from '../support/ports.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { openJobModel } from '../support/service/model.ts'
import { allowManyStarts, openService } from '../support/service.ts'

/** The block of a page of the docs that is a file of this name. */
export function blockOf(page: string, file: string): string {
  const text = readFileSync(`docs/${page}.md`, 'utf8')
  const found = [...text.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].find(([, name]) => name === file)?.[2]
  if (found === undefined) throw new Error(`docs/${page}.md has no ${file}`)
  return found
}

/** What an integrator does first, by the page of the docs that has a program for it in each language. */
export const PROGRAMS = [
  ['start', 'start'],
  ['events', 'follow'],
  ['output', 'output'],
  ['questions', 'answer'],
  ['webhooks', 'create'],
  ['webhooks', 'receiver'],
] as const
export type ProgramName = (typeof PROGRAMS)[number][1]
export type Language = 'ts' | 'py'

const run = promisify(execFile)

/** Both clients, installed from their packed files, and the programs of the pages beside them. */
export async function installPrograms() {
  const [typescript, python] = [await installTypescriptClient(), await installPythonClient()]
  for (const [page, name] of PROGRAMS) {
    const source = blockOf(page, `${name}.ts`)
    writeFileSync(join(typescript.folder, `${name}.ts`), source)
    const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'node20' })
    writeFileSync(join(typescript.folder, `${name}.mjs`), code)
    if (python) writeFileSync(join(python.folder, `${name}.py`), blockOf(page, `${name}.py`))
  }
  return {
    languages: (python ? ['ts', 'py'] : ['ts']) as readonly Language[],
    /** What the compiler says of the programs in TypeScript; nothing where it is content. */
    async checked(): Promise<string> {
      const args = [
        ...['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--skipLibCheck'],
        ...['--types', 'node', '--typeRoots', resolve('node_modules/@types')],
        ...PROGRAMS.map(([, name]) => `${name}.ts`),
      ]
      const { stdout } = await run(resolve('node_modules/.bin/tsc'), args, { cwd: typescript.folder }).catch(
        (error) => error,
      )
      return stdout
    },
    start(name: ProgramName, language: Language, env: Record<string, string>): Running {
      const [command = '', folder = ''] =
        language === 'ts' ? [process.execPath, typescript.folder] : [python?.python, python?.folder]
      const file = join(folder, `${name}.${language === 'ts' ? 'mjs' : 'py'}`)
      return new Running(command, [file], { PATH: process.env.PATH, ...env })
    },
  }
}

export const ANSWER = 'It costs $48.50.'
const OUTPUT = { name: 'Kyoto teapot', price: 48, maker: 'Tanaka & Sons' }

/** A model that looks at the page first; then it orders, as far as its user lets it, or answers. */
function doTask({ body }: Seen): Plan {
  const messages = (body.messages as unknown as { role: string; content: unknown }[]) ?? []
  const turn = messages.filter(({ role }) => role === 'assistant').length
  const asked = JSON.stringify(messages[0]?.content)
  const call = (tool: string, input: object): Plan => ({ text: '', calls: [{ tool, input }] })
  if (turn === 0) return call('get_page_text', {})
  if (!asked.includes('Order the Kyoto teapot')) {
    const output = asked.includes('who makes it') ? { output: OUTPUT } : {}
    return call('finish', { success: true, answer: ANSWER, ...output })
  }
  if (turn === 1) return call('ask_user', { question: 'Which size?' })
  if (turn === 2) return call('computer', { action: 'left_click', coordinate: [10, 10] })
  return call('finish', { success: true, answer: 'Nothing was ordered.' })
}

/** A service with a browser that takes `callMs` to read a page. */
export async function openShop(callMs = 0, env: Record<string, string> = {}) {
  const model = await openJobModel()
  model.endpoint.plan(doTask)
  const service = await openService({ env: { ...model.env, ...env } })
  allowManyStarts(service, 'running_tasks=20')
  const session = await service.api.pair()
  const pooled = await service.api.pair({ pool: { name: 'default', places: 4 } })
  const [browser, onCall] = await Promise.all(
    [session, pooled].map(({ relayPort, token }) =>
      TestBrowser.open({
        relayPort,
        token,
        answer: ({ tool }) => ({ output: 'Kyoto teapot €48.00', ms: tool === 'get_page_text' ? callMs : 0 }),
      }),
    ),
  )
  if (!browser || !onCall) throw new Error('no browser')
  return {
    service,
    calls: () => browser.calls.length + onCall.calls.length,
    session: session.id,
    async close() {
      browser.disconnect()
      onCall.disconnect()
      await service.kill()
      await model.endpoint.close()
    },
  }
}

/** What each program prints, in both languages. */
const PRINTED: Readonly<Record<ProgramName, RegExp>> = {
  start: /^complete It costs \$48\.50\.\n$/,
  follow: /^1 task\.created\n(\d+ \S+\n)*\d+ task\.ended\nIt costs \$48\.50\.\n$/,
  output: /^Kyoto teapot 48(\.0)? \[ ?'\/maker' ?\]\n$/,
  answer: /^question Which size\?\napproval .+\n(.+\n)*complete Nothing was ordered\.\n$/,
  create: /^\S+ whsec_\S+\n$/,
  receiver: /^task\.ended\n/,
}

/**
 * Runs every program in every language at the same time, each with the service at `url`. `meanwhile` begins when all of
 * their tasks are under way.
 *
 * @returns what is wrong, by program; nothing where each did what its page says
 */
export async function runAll(
  programs: Awaited<ReturnType<typeof installPrograms>>,
  shop: Awaited<ReturnType<typeof openShop>>,
  { url = shop.service.url, meanwhile }: { url?: string; meanwhile?: () => Promise<void> } = {},
): Promise<readonly string[]> {
  const { service, calls, session } = shop
  const env = { SERVICE: url, KEY: service.key, SESSION: session }
  const startTask = async () =>
    (await service.api.post('/v1/tasks', { task: 'Look', browser_session_id: session })).json.id as string
  const callsBefore = calls()
  const running = new Map<string, Running>()
  const receivers: Running[] = []
  try {
    for (const language of programs.languages) {
      for (const name of ['start', 'output', 'answer'] as const)
        running.set(`${name}.${language}`, programs.start(name, language, env))
      // Nothing listens there.
      running.set(`create.${language}`, programs.start('create', language, { ...env, RECEIVER: 'http://127.0.0.1:9/' }))
      running.set(`follow.${language}`, programs.start('follow', language, { ...env, TASK: await startTask() }))
      const port = String(await freePort())
      const endpoint = { url: `http://127.0.0.1:${port}/hooks`, types: ['task.ended'] }
      const { secret } = (await service.api.post('/v1/webhook-endpoints', endpoint)).json
      const receiver = programs.start('receiver', language, { WEBHOOK_SECRET: secret, PORT: port })
      running.set(`receiver.${language}`, receiver)
      receivers.push(receiver)
    }
    const tasks = programs.languages.length * 4
    await eventually(() => calls() >= callsBefore + tasks, 'each task has called its browser', 60_000)
    await meanwhile?.()
    // A receiver goes on for ever: it is ended when it has printed what happened.
    const told = receivers.map((receiver) => receiver.said(/task\.ended/).finally(() => receiver.end()))
    await Promise.allSettled([...told, ...[...running.values()].map(({ ended }) => ended)])
    return [...running].flatMap(([file, { out, err }]) => {
      const name = file.split('.')[0] as ProgramName
      const lines = name === 'follow' ? out.split('\n').slice(0, -2) : []
      const isWhole = lines.every((line, index) => Number.parseInt(line, 10) === index + 1)
      return PRINTED[name].test(out) && isWhole ? [] : [`${file}: ${out}${err}`]
    })
  } finally {
    await Promise.all([...running.values()].map((each) => each.end()))
  }
}
