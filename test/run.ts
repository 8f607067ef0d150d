import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { groupsOf } from './support/group.ts'
import { runFile, runGroup, type Started } from './support/run-file.ts'
import { add, afterSecondRun, closing, line, NOTHING, type Outcome } from './support/tally.ts'

/**
 * `npm test`: every `test/**\/*.test.ts`, five processes at a time (much of it waits, also on two cores), two minutes a
 * file. A file has a process of its own, or shares it with a few others (support/group.ts): should that process fail, each
 * runs alone.
 *
 *   node --import tsx test/run.ts [file or folder …] [--only <substring>] [--long] [--installed] [--jobs <n>]
 *                               [--save <file>] [--only-skipped <file>]
 *
 * The whole of it is built once (support/builds.ts): a file then starts without a compiler. Named files run from their source.
 * What failed runs once more, alone and from its source, when it was at most five files (`--again <n>`): both runs are
 * printed, the second counts, and a line says which files needed it.
 * Pages are driven in the bare headless browser (support/browsers.ts) unless `CHROME_PATH` names another one; with
 * `--installed` or `--long` in the installed one.
 * `--long` runs those of `test/long/`, which take longer than the limit, and only those. `--root` and `--limit-ms` are
 * for the runner's own test. `--save` writes the outcome of each test file to a file; `--only-skipped` reads it, runs the
 * test files in which something was skipped, and counts both runs together: a test that was skipped and now passes counts
 * once, as passed (`.ci/run`). The last line is `N passed, N failed[, N skipped]`; the exit code is 1 when a test
 * failed or none ran.
 */
const LIMIT_MS = 120_000
const LONG_LIMIT_MS = 60 * 60_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    long: { type: 'boolean', default: false },
    installed: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '5' },
    again: { type: 'string', default: '5' },
    save: { type: 'string' },
    'only-skipped': { type: 'string' },
    root: { type: 'string', default: 'test' },
    'limit-ms': { type: 'string' },
  },
})
const limitMs = Number(values['limit-ms'] ?? (values.long ? LONG_LIMIT_MS : LIMIT_MS))
const jobs = Math.max(1, Number(values.jobs) || 1)

/** The test files under a folder, or the one file that is named, as paths from here, sorted. */
function testFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(path, name))
    .sort()
}

function chosenFiles(): string[] {
  if (positionals.length > 0) return positionals.flatMap(testFiles)
  const long = resolve(values.root, 'long')
  return testFiles(values.root).filter((file) => resolve(file).startsWith(`${long}/`) === values.long)
}

const nameOf = (file: string) => relative(values.root, file)
/** Outcomes of an earlier run by the name of the file, with `--only-skipped`. */
const earlier = new Map<string, Outcome>(
  values['only-skipped'] ? JSON.parse(readFileSync(values['only-skipped'], 'utf8')) : [],
)
const outcomes = new Map<string, Outcome>()
const running = new Set<() => void>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const kill of running) kill()
    process.exit(130)
  })

async function resultOf<Result>({ started, done }: Started<Result>): Promise<Result> {
  running.add(started.kill)
  const result = await done
  running.delete(started.kill)
  return result
}

/** What files that share a process came to. */
async function run(files: readonly string[]): Promise<void> {
  const together = files.length > 1 ? await resultOf(runGroup(files, limitMs * files.length)) : null
  for (const file of files)
    outcomes.set(file, told(file, together?.get(file) ?? (await resultOf(runFile(file, limitMs)))))
}

function told(file: string, outcome: Outcome): Outcome {
  console.log(line(relative('.', file), outcome))
  if (outcome.failed > 0) console.log(`${outcome.output.trimEnd()}\n`)
  return outcome
}

/** Those whose files take longest: browsers, several files in one, processes that are killed, thousands of events. */
const SLOW = ['extension', 'clients', 'e2e', 'browser', 'web', 'observe', 'simulation', 'cluster', 'cli', 'crash']
const rank = (file: string) => {
  const at = SLOW.indexOf(nameOf(file).split('/')[0] ?? '')
  return at < 0 ? SLOW.length : at
}

/** The slow ones first, so that none is left alone at the end. */
const files = chosenFiles()
  .filter((file) => file.includes(values.only ?? ''))
  .filter((file) => values['only-skipped'] === undefined || (earlier.get(nameOf(file))?.skipped ?? 0) > 0)
  .sort((left, right) => rank(left) - rank(right))
const waiting = positionals.length > 0 ? files.map((file) => [file]) : groupsOf(files, nameOf)
/** One of several workers begins at the end: short files run beside long ones. */
const next = (worker: number) => (worker > 0 && worker === jobs - 1 ? waiting.pop() : waiting.shift())

// The whole of it starts some three hundred files, and the service some two hundred times: from one build.
const folder = mkdtempSync(join(tmpdir(), 'browser-task-build-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
let atEnd: () => Promise<void> = async () => {}
if (values.root === 'test' && !values.long && !values.installed && !process.env.CHROME_PATH) {
  const { bareBrowser } = await import('./support/browsers.ts')
  const bare = await bareBrowser()
  if (bare !== null) Object.assign(process.env, { CHROME_PATH: bare, IS_BARE: 'yes' })
}
if (positionals.length === 0 && values.root === 'test' && files.length > 0) {
  const { buildService, buildTests } = await import('./support/builds.ts')
  process.env.SERVICE_BUILD = await buildService(folder)
  if (!values.long) {
    process.env.TEST_BUILD = await buildTests(folder, files)
    const { buildExtension } = await import('../src/extension/build/build.ts')
    const { tryBrowser } = await import('./cli/with-browser.ts')
    process.env.BROWSER_STARTS = await tryBrowser().then(
      () => 'yes',
      // The files that need one say why.
      () => 'no',
    )
    process.env.EXTENSION_BUILD = join(folder, 'extension')
    await buildExtension(process.env.EXTENSION_BUILD, false)
    const { noChromium, serveChromium } = await import('./observe/inspector/world.ts')
    if (noChromium === null) {
      const chromium = await serveChromium()
      process.env.CHROMIUM_AT = chromium.wsEndpoint()
      // It would keep this process alive.
      atEnd = () => chromium.close()
    }
  }
}

await Promise.all(
  Array.from({ length: jobs }, async (_, worker) => {
    for (let group = next(worker); group !== undefined; group = next(worker)) await run(group)
  }),
)
const failed = [...outcomes].filter(([, outcome]) => outcome.failed > 0).map(([file]) => file)
if (failed.length > 0 && failed.length <= Number(values.again)) {
  console.log('Once more, alone, what failed beside another file:')
  delete process.env.TEST_BUILD
  for (const file of failed) await run([file])
  console.log(`\n${failed.length} flaky: ran twice: ${failed.map((file) => relative('.', file)).join(' ')}`)
}
await atEnd()
const both = new Map(earlier)
for (const [file, outcome] of outcomes) both.set(nameOf(file), afterSecondRun(earlier.get(nameOf(file)), outcome))
if (values.save) writeFileSync(values.save, JSON.stringify([...both]))
const total = [...both.values()].reduce(add, NOTHING)
console.log(closing(total))
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0
