import { readFileSync } from 'node:fs'
import { webhookBodyOf } from '../../actors/webhook-events.ts'
import { WEBHOOK_TYPES } from '../../machines/webhook-records.ts'
import type { Api } from '../client/index.ts'
import { newEndpointSecret, signedHeaders } from '../webhooks/signature.ts'
import { clientOf, type ServiceOptions } from './client.ts'
import { dim, EXIT, onInterrupt, say, usageError } from './terminal.ts'

/** One JSON object a line, as scripts read it. */
const sayJson = (value: unknown): void => say(JSON.stringify(value))

/** [Q16] `name=value` of an option that may be given several times. */
export function pairsOf(option: string, given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw usageError(`${option} takes name=value.`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

/** [Q16] The JSON Schema in a file. */
export function schemaIn(path: string): Record<string, unknown> {
  try {
    const schema: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof schema === 'object' && schema !== null) return schema as Record<string, unknown>
  } catch {
    // Said below.
  }
  throw usageError(`${path} is not a file with a JSON Schema.`)
}

/** [Q17] Prints tasks as JSON, one a line, newest first. */
export async function listTasks({
  limit,
  status,
  metadata = [],
  ...options
}: ServiceOptions & { limit: string; status?: string; metadata?: string[] }): Promise<void> {
  const query = {
    metadata: pairsOf('--metadata', metadata),
    ...(status ? { status: status as Api.Task['status'] } : {}),
  }
  let left = Number(limit)
  if (!(left >= 1)) throw usageError('--limit takes a number.')
  for await (const task of clientOf(options).tasks.list(query)) {
    sayJson(task)
    left--
    if (left < 1) return
  }
}

/** [Q17] Prints a task as JSON. */
export async function getTask(id: string, options: ServiceOptions): Promise<void> {
  sayJson(await clientOf(options).tasks.get(id))
}

/** [Q17] Prints the events of a task as JSON, one a line, until it has ended. */
export async function taskEvents(
  id: string,
  { after, ...options }: ServiceOptions & { after?: string },
): Promise<void> {
  for await (const event of clientOf(options).tasks.events(id, { after: Number(after ?? 0) })) sayJson(event)
}

/**
 * [Q18] Sends the events of the workspace to an address of this machine as a webhook endpoint would get them, read from
 * the log: no public address is needed. Ends when it is interrupted.
 */
export async function listenCommand({
  forwardTo,
  types,
  ...options
}: ServiceOptions & { forwardTo: string; types?: string }): Promise<number> {
  if (!URL.canParse(forwardTo)) throw usageError('--forward-to takes an address, such as http://localhost:3000/hooks.')
  const client = clientOf(options)
  const secret = newEndpointSecret()
  const stop = new AbortController()
  const forget = onInterrupt(() => stop.abort())
  const wanted = (types?.split(',') ?? WEBHOOK_TYPES) as readonly Api.Event['type'][]
  // Where the log ends now: what happens from here on is sent.
  const { next_cursor: after } = await client.request('GET /v1/events', { query: { after: 'now', limit: 1 } })
  say(`The secret of these webhooks is ${secret}`)
  for await (const { cursor: _, ...event } of client.events({ types: wanted, after, signal: stop.signal })) {
    const body = webhookBodyOf({ id: event.id, type: event.type, at: event.at, taskId: event.task_id, data: event })
    const headers = {
      'content-type': 'application/json',
      ...signedHeaders({ id: event.id, body }, [secret], Date.now()),
    }
    const outcome = await fetch(forwardTo, { method: 'POST', headers, body, signal: stop.signal }).then(
      ({ status }) => String(status),
      () => 'not reached',
    )
    say(`${event.type} ${dim(event.id)} → ${outcome}`)
  }
  forget()
  return EXIT.done
}

/** What a shell completes, by command. */
export type Words = ReadonlyMap<string, readonly string[]>

/** [Q19] A script that completes commands and their options in a shell. */
export function completionOf(shell: string, name: string, words: Words): string {
  const commands = [...words.keys()].join(' ')
  const cases = [...words].map(([command, options]) => `    ${command}) words="${options.join(' ')}" ;;`).join('\n')
  if (shell === 'fish')
    return [
      `complete -c ${name} -f -n __fish_use_subcommand -a "${commands}"`,
      ...[...words].map(
        ([command, options]) =>
          `complete -c ${name} -n "__fish_seen_subcommand_from ${command}" -a "${options.join(' ')}"`,
      ),
    ].join('\n')
  if (shell !== 'bash' && shell !== 'zsh') throw usageError('completion takes bash, zsh or fish.')
  const script = `_browser_task_service() {
  local words="${commands}"
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _browser_task_service ${name}`
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script
}
