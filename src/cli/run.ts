import type { BrowserTasks, CreateTask } from '../client/index.ts'
import { clientOf, type ServiceOptions } from './client.ts'
import { EXIT, Failed } from './exit-codes.ts'
import { uploaded } from './files.ts'
import { follow, isAttended, sayOutcome } from './follow.ts'
import { onInterrupt } from './interrupt.ts'
import { invocation } from './invocation.ts'
import { pairsOf, schemaIn } from './option-values.ts'
import { type SecretOptions, secretsOf } from './secrets.ts'
import { bold, say } from './terminal.ts'

export interface RunCommandOptions extends ServiceOptions, SecretOptions {
  readonly url?: string
  readonly session?: string
  /** [Z2] A pool whose browser is taken. */
  readonly pool?: string
  /** [Z11] The profile that signs it in. */
  readonly profile?: string
  /** [Q13] Paths or URLs of files for the task. */
  readonly file?: readonly string[]
  /** [I10] The ended task to continue. */
  readonly continue?: string
  /** [I5] What it may be, the service says. */
  readonly approvals?: string
  readonly askUser?: boolean
  /** [L46] What it may be, the service says. */
  readonly effort?: string
  readonly allow?: readonly string[]
  /** [Q16] The file of a JSON Schema, `name=value`s, and whether the task is printed as JSON alone. */
  readonly schema?: string
  readonly input?: readonly string[]
  /** [J5] What it may be, the service says. */
  readonly recipe?: string
  readonly metadata?: readonly string[]
  readonly json?: boolean
}

/** [Q6 Q15] Runs one task against a service and prints its steps as they happen. Resolves to the exit code. */
export async function runCommand(task: string, options: RunCommandOptions): Promise<number> {
  const { session, profile, pool = profile && 'default', url = null, continue: continued = null } = options
  const secrets = secretsOf(options, url)
  const client = clientOf(options)
  const before = continued === null ? null : await client.tasks.get(continued)
  const poolOf = pool ?? (session === undefined ? before?.request.browser?.pool : null) ?? null
  const browser =
    poolOf === null
      ? { browser_session_id: session ?? before?.browser_session_id ?? (await newestBrowser(client)) }
      : { browser: { pool: poolOf, ...(profile === undefined ? {} : { profile }) } }
  const interrupted = new AbortController()
  // From now on: a start that is interrupted under way may have started its task, which is then cancelled.
  const forget = onInterrupt(() => interrupted.abort())
  const params = {
    task,
    url,
    ...browser,
    continue_task_id: continued,
    secrets,
    files: await uploaded(client, options.file ?? []),
    ...heldTo(options),
    ...dataOf(options),
  }
  if (options.json) return runForScript(client, params, interrupted.signal)
  const started = await client.tasks.create(params)
  say(
    `Task ${bold(started.id)} in ${'browser' in browser ? `a browser of pool ${poolOf}` : `browser session ${browser.browser_session_id}`}`,
  )
  say()
  const followed = await follow(client, started, { cancel: interrupted.signal, leaveWhenAsked: !isAttended() })
  forget()
  return followed === null ? EXIT.failed : sayOutcome(followed)
}

/** [Q16] Prints the task alone, once it has ended or needs an answer. */
async function runForScript({ tasks }: BrowserTasks, params: CreateTask, signal: AbortSignal): Promise<number> {
  const task = await tasks.run(params, { signal })
  say(JSON.stringify(task))
  return task.status === 'complete' ? EXIT.done : task.status === 'running' ? EXIT.needsInput : EXIT.failed
}

/** [Q16] */
function dataOf({ schema, input = [], recipe, metadata = [] }: RunCommandOptions) {
  return {
    ...(schema === undefined ? {} : { output_schema: schemaIn(schema) }),
    ...(input.length > 0 ? { inputs: pairsOf('--input', input) } : {}),
    ...(recipe === undefined ? {} : { recipe: recipe as 'auto' }),
    ...(metadata.length > 0 ? { metadata: pairsOf('--metadata', metadata) } : {}),
  }
}

/** [F1, I3, I5, L46] What was left out is left to the service. */
function heldTo({ approvals, askUser, effort, allow = [] }: RunCommandOptions) {
  return {
    ...(approvals === undefined ? {} : { approvals: approvals as 'always' }),
    ...(askUser ? { ask_user: true } : {}),
    ...(effort === undefined ? {} : { effort: effort as 'low' }),
    ...(allow.length > 0 ? { allowed_domains: [...allow] } : {}),
  }
}

/** How long a browser that is only being started is waited for. */
const BROWSER_WAIT_MS = 10_000

/** The browser that connected last. */
async function newestBrowser({ browsers }: BrowserTasks): Promise<string> {
  const signal = AbortSignal.timeout(BROWSER_WAIT_MS)
  const browser = await browsers.connected({ signal }).catch((error) => {
    if (signal.aborted) return null
    throw error
  })
  if (browser) return browser.id
  throw new Failed(
    `No browser is connected. Take one of the service with --pool default, or pair one: ${invocation.command} browsers pair`,
    EXIT.service,
  )
}
