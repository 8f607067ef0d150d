import { SECOND_MS, STOP_MS_MAX } from '../../machines/limits.ts'
import { type Config, readConfig } from '../config/config.ts'
import { buildVersion } from '../config/version.ts'
import { openOwnStore } from '../main/own-store.ts'
import type { RunningService } from '../main.ts'
import { openLog } from '../observe/log.ts'
import { Failed } from './exit-codes.ts'
import { firstKeyLines } from './first-key.ts'
import { onInterrupt } from './interrupt.ts'
import { bold, dieOfBugs, killAtExit, pairs, say } from './terminal.ts'

/**
 * [Q1, D10] Runs the service until SIGTERM or SIGINT; a second signal ends it at once. Rejects when it could not be
 * started, or not be stopped within STOP_MS_MAX.
 */
export async function serveCommand(): Promise<void> {
  const config = readConfig({ BUILD_VERSION: buildVersion(), ...process.env })
  const log = openLog({ level: config.logLevel, pretty: process.stdout.isTTY === true && !config.production })
  // What is kept is taken up again at the next start.
  dieOfBugs((error) => {
    log.error({ err: error }, 'An error that nobody caught.')
    killAtExit()
  })
  let started: RunningService | null = null
  const interrupted = new Promise<void>((resolve) => {
    onInterrupt((signal) => {
      // Nothing has been promised to anyone yet.
      if (!started) process.exit(0)
      log.info({ signal }, 'Stopping.')
      resolve()
    })
  })
  // [D16] A setting that does not parse and a store in use are said before all that the service is made of was loaded.
  const store = await openOwnStore(config, log)
  const { startService } = await import('../main.ts')
  started = await startService({ config, log, store })
  say(welcome(started, config, firstKeyLines(started, config)))
  await Promise.race([interrupted, started.stopped])
  await stopInTime(started)
  log.info({}, 'Stopped.')
}

async function stopInTime(service: RunningService): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    const seconds = STOP_MS_MAX / SECOND_MS
    setTimeout(() => reject(new Failed(`The service did not stop within ${seconds} s.`)), STOP_MS_MAX).unref()
  })
  await Promise.race([service.stop(), late])
}

function welcome(service: RunningService, config: Config, firstKey: string[] | null): string {
  const { llm, auth, billing, mongodbUrl, dataDir, production } = config
  const model = llm.provider === 'scripted' ? scriptedWords(llm.script) : `${llm.provider}, ${service.modelId}`
  const signIn = auth.secret !== null || !production
  const lines = [
    bold(`Browser Task Service ${config.version}`),
    pairs([
      ['Dashboard', `${config.publicUrl ?? service.url}/dashboard`],
      ['HTTP', `${service.url} (${service.transport === 'uws' ? 'uWebSockets.js' : 'node:http'})`],
      ['Listens on', boundTo(config.host)],
      ['Relay', `port ${service.relayPort}, and ${service.url.replace(/^http/, 'ws')}/relay`],
      ['Store', mongodbUrl === null ? `embedded, in ${dataDir}` : 'MongoDB'],
      ['Model', model],
      [
        'Sign-in',
        signIn
          ? ['e-mail', auth.google && 'Google', auth.oidc?.name].filter(Boolean).join(', ')
          : 'not configured (BETTER_AUTH_SECRET)',
      ],
      [
        'Billing',
        billing ? `${billing.freePerMonth} free tasks a month, then credits` : 'not configured: tasks are free',
      ],
    ]),
    '',
  ]
  if (firstKey !== null) lines.push(...firstKey, '')
  const at = `--service ${service.url} --key <key>`
  lines.push(
    ...(config.browsers > 0
      ? [
          '  Next: give it a task; it starts a browser for it (README.md shows more):',
          `  npx browser-task-service run "<task>" --url <page> --pool default ${at}`,
        ]
      : [
          '  Next: pair a browser, then give it a task (README.md shows how):',
          `  npx browser-task-service browser ${at}`,
        ]),
    '',
  )
  return lines.join('\n')
}

const boundTo = (host: string): string =>
  host === '::' || host === '0.0.0.0' ? `${host}: all interfaces of this machine` : host

const scriptedWords = (script: string | null): string =>
  script === null
    ? 'none: set ANTHROPIC_API_KEY (or another, see docs/settings.md) to run tasks'
    : `scripted: ${script}`
