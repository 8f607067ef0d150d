import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { apiPage } from '../../src/web/docs/api.ts'
import { makeSurface } from '../support/http-surface.ts'
import { plainDocument } from '../support/openapi-document.ts'

const run = promisify(execFile)
type ReferenceLanguage = 'curl' | 'TypeScript' | 'Python'

/** A request as it arrived. `bytes` is the size of a body that is not JSON. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly query: readonly string[]
  readonly credentials: string | null
  readonly body: unknown
}

interface ReferenceOperation {
  readonly method: string
  readonly path: string
  readonly operationId: string
  readonly responses: Readonly<Record<string, { content?: Record<string, { example?: unknown }> }>>
}

/** Of the archives that a service serves. */
const NAMES = { typescript: 'client.tgz', python: 'client.whl', service: 'service.tgz' }

/** The examples of the reference of the API, as the page shows them, by operation and language. */
export async function referenceExamples() {
  const document = plainDocument(await makeSurface())
  const operations = Object.entries(document.paths as Record<string, Record<string, ReferenceOperation>>).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, one]) => ({ ...one, path, method })),
  )
  const page = String(apiPage(document, NAMES).body)
  const textOf = (label: string): string | null =>
    new RegExp(`aria-label="${label}"[^>]*><code>([\\s\\S]*?)</code>`)
      .exec(page)?.[1]
      ?.replaceAll(/<\/?span[^>]*>/g, '')
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&') ?? null
  return {
    operations,
    in: (language: ReferenceLanguage): ReadonlyMap<string, string> =>
      new Map(
        operations.flatMap(({ operationId }) => {
          const text = textOf(`${language}: ${operationId}`)
          return text === null ? [] : [[operationId, text] as const]
        }),
      ),
    answerOf: (operationId: string, status: string): string | null => textOf(`Response ${status}: ${operationId}`),
  }
}
type Reference = Awaited<ReturnType<typeof referenceExamples>>

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

/** Answers every request as the reference says that its operation does, and keeps what it was asked. `GET /begin/{id}` names the operation whose example comes next. */
export async function openReferenceService({ operations, answerOf }: Reference) {
  const requests = new Map<string, SentRequest[]>()
  let current = ''
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service')
    if (pathname.startsWith('/begin/')) {
      current = pathname.slice('/begin/'.length)
      requests.set(current, [])
      return response.end()
    }
    const body = await bodyOf(request)
    const { authorization, cookie } = request.headers
    requests.get(current)?.push({
      method: request.method ?? '',
      path: pathname,
      query: [...searchParams].map(([name, value]) => `${name}=${value}`).sort(),
      credentials: authorization ?? cookie ?? null,
      body,
    })
    const operation = operations.find(({ operationId }) => operationId === current)
    const [status = '500', { content = {} } = {}] =
      Object.entries(operation?.responses ?? {}).find(([each]) => each.startsWith('2')) ?? []
    const [[type = 'application/json'] = []] = Object.entries(content)
    const isStream = 'text/event-stream' in content
    // A stream has told everything when it is asked for again.
    if (isStream && (requests.get(current)?.length ?? 0) > 1) return response.writeHead(204).end()
    response.setHeader('Content-Type', isStream ? 'text/event-stream' : type)
    response.statusCode = Number(status)
    response.end(type === 'application/json' ? `${answerOf(current, status)}\n\n` : 'bytes')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** What the compiler says of the TypeScript in `folder`, which has the client; nothing where it is content. */
export async function compileExamples(reference: Reference, folder: string): Promise<string> {
  const files = [...reference.in('TypeScript')].map(([id, text]) => {
    writeFileSync(join(folder, `reference-${id}.ts`), text)
    return `reference-${id}.ts`
  })
  const args = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--skipLibCheck']
  args.push('--types', 'node', '--typeRoots', resolve('node_modules/@types'))
  const { stdout } = await run(resolve('node_modules/.bin/tsc'), [...args, ...files], { cwd: folder }).catch(
    (error) => error,
  )
  return stdout
}

const ENV = { KEY: 'svc_live_example', SESSION_COOKIE: 'cookie', SESSION_TOKEN: 'svc_sess_example', SIGNATURE: '5f' }

/** Runs every example of a language in `folder`; gives what each has sent first. Throws what the first of them that fails says. */
export async function sendExamples(
  reference: Reference,
  language: ReferenceLanguage,
  { folder, python = '' }: { readonly folder: string; readonly python?: string },
): Promise<ReadonlyMap<string, SentRequest>> {
  const service = await openReferenceService(reference)
  const env = { PATH: process.env.PATH, SERVICE: service.url, ...ENV }
  for (const name of ['contract.pdf', 'invoice.pdf', 'profile.json.gz']) writeFileSync(join(folder, name), '%PDF-1.4')
  const examples = [...reference.in(language)]
  try {
    if (language === 'curl') {
      const lines = examples.map(([id, text]) => `curl -sf $SERVICE/begin/${id}\n${text.replace('curl', 'curl -sSf')}`)
      await run('sh', ['-ec', lines.join('\n')], { cwd: folder, env })
    } else if (language === 'TypeScript') {
      for (const [id, text] of examples) {
        const { code } = await transform(text, { loader: 'ts', format: 'esm', target: 'node20' })
        writeFileSync(join(folder, `reference-${id}.mjs`), code)
      }
      const imports = examples.map(([id]) => `await begin('${id}'); await import('./reference-${id}.mjs')`)
      const begin = "const begin = (id) => fetch(process.env.SERVICE + '/begin/' + id)"
      writeFileSync(join(folder, 'all.mjs'), [begin, ...imports].join('\n'))
      await run(process.execPath, ['all.mjs'], { cwd: folder, env })
    } else {
      const driver = `import json, os, urllib.request
for name, text in json.load(open("reference.json")):
    urllib.request.urlopen(os.environ["SERVICE"] + "/begin/" + name).read()
    try:
        exec(compile(text, name, "exec"), {"__name__": name})
    except Exception as error:
        raise RuntimeError(name) from error
`
      writeFileSync(join(folder, 'reference.json'), JSON.stringify(examples))
      await run(python, ['-c', driver], { cwd: folder, env })
    }
  } finally {
    await service.close()
  }
  return new Map([...service.requests].flatMap(([id, [first]]) => (first ? [[id, first] as const] : [])))
}
