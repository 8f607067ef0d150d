// Does what misbehaviours.ts asks of a client, all at the same time. Reads the calls as JSON, prints what came of them.
import { BrowserTaskError, BrowserTasks } from 'browser-task-client'

const params = { task: 'Buy tea', browser_session_id: 's' }

async function given({ baseUrl, call, maxRetries, retryForMs, after, timeoutMs, answersInputs, isAborted }) {
  const client = new BrowserTasks({ baseUrl, maxRetries, retryForMs })
  const stop = new AbortController()
  if (isAborted) void fetch(`${baseUrl}/abort`).then(() => stop.abort())
  const options = {
    ...(timeoutMs === null ? {} : { timeout: timeoutMs }),
    ...(isAborted ? { signal: stop.signal } : {}),
    ...(answersInputs ? { onInput: () => ({ action: 'accept', content: '42' }) } : {}),
  }
  const seqs = []
  const read = async (events) => {
    for await (const { seq } of events) {
      seqs.push(seq)
      if (call === 'workspace_events') break
    }
    return { seqs }
  }
  const calls = {
    events: () => read(client.tasks.events('a', { ...options, ...(after === null ? {} : { after }) })),
    workspace_events: () => read(client.events(options)),
    usage: async () => ({ value: (await client.usage.get(options)).taskCount }),
    list: async () => {
      for await (const _ of client.tasks.list({}, options));
      return {}
    },
    create: async () => ({ value: (await client.tasks.create(params, options)).id }),
    wait: async () => ({ value: (await client.tasks.wait('a', options)).status }),
    run: async () => ({ value: (await client.tasks.run(params, options)).status }),
    run_with_events: async () => ({ value: (await client.tasks.run(params, { ...options, onEvent() {} })).status }),
  }
  try {
    return await calls[call]()
  } catch (error) {
    const name =
      error instanceof BrowserTaskError ? error.code : error.name === 'AbortError' ? 'aborted' : String(error)
    return call === 'events' ? { error: name, seqs } : { error: name }
  }
}

let text = ''
for await (const chunk of process.stdin) text += chunk
const results = await Promise.all(JSON.parse(text).map(async (each) => [each.name, await given(each)]))
process.stdout.write(JSON.stringify(Object.fromEntries(results)))
process.exit()
