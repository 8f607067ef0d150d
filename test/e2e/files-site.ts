import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Model } from '../../actors/runtime/ports.ts'
import { pdf } from '../../src/demo/shop/pdf.ts'
import { openModel } from '../../src/models/open.ts'
import { openLog } from '../../src/observe/log.ts'
import { call, modelOf, resultsOf } from '../extension/playing.ts'
import type { Api } from '../support/service/api.ts'
import { finished } from '../support/service/jobs.ts'
import { tempFolder } from '../support/stores.ts'

/** A site that takes a file and gives others, for tasks with files. */
export const INVOICE = pdf(['Invoice for order 4711', 'Total to pay: $61.50'])
export const CONTRACT = pdf(['The contract', 'Signed by Ada Lovelace'])
const LARGE_BYTES = 26 * 1024 * 1024

const PAGE = `<!doctype html><title>Papers</title>
<label>Contract <input type="file" onchange="fetch('/upload?' + this.files[0].name, {method: 'POST', body: this.files[0]}).then((r) => r.text()).then((t) => { out.textContent = t })"></label>
<a href="/invoice.pdf">Invoice</a>
<form method="post" action="/report"><button>Report</button></form>
<a href="/large">Archive</a>
<button onclick="const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['a;b'])); a.download = '../made <here>.csv'; a.click()">Export</button>
<p id="out">Nothing yet</p>`

export interface FilesSite {
  readonly url: string
  /** What reached it: `POST /upload?name <hash of the body>`. */
  readonly seen: string[]
  close(): void
}

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export async function openFilesSite(): Promise<FilesSite> {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    seen.push(`${request.method} ${decodeURI(request.url ?? '')}${body.length > 0 ? ` ${hashOf(body)}` : ''}`)
    const save = (name: string, bytes: Uint8Array) =>
      response.writeHead(200, { 'content-disposition': `attachment; filename="${name}"` }).end(bytes)
    const { pathname } = new URL(request.url ?? '/', 'http://x')
    if (pathname === '/invoice.pdf') save('invoice.pdf', INVOICE)
    else if (pathname === '/report') save('report.txt', Buffer.from(`Report of ${request.method}`))
    else if (pathname === '/large') save('archive.bin', Buffer.alloc(LARGE_BYTES, 1))
    else if (pathname === '/upload') response.end(`Received ${body.length} bytes`)
    else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const click = (element: string) => ({ tool: 'computer', input: { action: 'left_click', ref: `{{ref:${element}}}` } })
const files = (input: object) => ({ tool: 'files', input })

/** Plays a script for the task with the invoice. */
function scripted(url: string): Model {
  const opened = [
    { tool: 'navigate', input: { url } },
    { tool: 'read_page', input: {} },
  ]
  const path = join(tempFolder(), 'script.json')
  const scripts = [
    {
      when: 'the invoice',
      steps: [
        ...opened,
        files({ action: 'list' }),
        files({ action: 'read', name: 'contract.pdf' }),
        files({ action: 'upload', name: 'contract.pdf', ref: '{{ref:"Contract"}}' }),
        click('link "Invoice"'),
        files({ action: 'read', name: 'invoice.pdf' }),
        { answer: 'The total is {{match:/Total to pay: (\\S+)/}}.' },
      ],
    },
  ]
  writeFileSync(path, JSON.stringify({ scripts }))
  const settings = { provider: 'scripted', model: null, baseUrl: null, apiKey: null, script: path } as const
  return openModel(settings, openLog({ level: 'silent' }))
}

/** Downloads all papers, and waits until it reads that the last one is too large. */
const papers = (url: string) =>
  modelOf((turn, messages) => {
    const results = resultsOf(messages)
    const press = (line: RegExp) => {
      const ref = /\[(e\d+)\]/.exec(results[1]?.text.split('\n').find((each) => line.test(each)) ?? '')?.[1]
      return call('computer', { action: 'left_click', ref })
    }
    const steps = [
      () => call('navigate', { url }),
      () => call('read_page'),
      () => press(/button "Report"/),
      () => press(/button "Export"/),
      () => press(/link "Archive"/),
    ]
    const step = steps[turn]
    if (step) return step()
    if (results.at(-1)?.tool === 'files') return { answer: 'Done.' }
    if (results.some(({ text }) => text.includes('larger than'))) return call('files', { action: 'list' })
    return call('computer', { action: 'wait', duration: 0.5 + turn / 100 })
  })

/** The model of tasks on that site. */
export function filesModel(url: string): Model {
  const [invoice, all] = [scripted(url), papers(url)]
  return {
    ...invoice,
    ask: (request, signal) =>
      (JSON.stringify(request.messages[0]).includes('all papers') ? all : invoice).ask(request, signal),
  }
}

interface FileJson {
  id: string
  name: string
  media_type: string
  size: number
  origin: string
}
const filesOf = async (api: Api, id: string): Promise<FileJson[]> => (await api.get(`/v1/tasks/${id}/files`)).json.files
const turnsOf = async (api: Api, id: string): Promise<string> =>
  (await api.get(`/v1/tasks/${id}`)).json.turns
    .flatMap(({ tools }: { tools: { result: string }[] }) => tools.map(({ result }) => result))
    .join('\n')

/** [U1 U4 U5 U6] Uploads what the task was given, downloads an invoice, reads its total; the files by the API are the same bytes. */
export async function uploadsAndDownloads(api: Api, site: FilesSite, sessionId: string, ms: number): Promise<void> {
  const given = { name: 'contract.pdf', data: Buffer.from(CONTRACT).toString('base64') }
  const start = await api.start(sessionId, 'Send the contract and tell me the total of the invoice', { files: [given] })
  assert.is(start.status, 201, JSON.stringify(start.json))
  const { id } = start.json
  const task = await finished(api, id, ms)
  const results = await turnsOf(api, id)
  assert.match(task.answer ?? '', /^The total is \$61\.50\./, results)
  assert.match(results, new RegExp(`"contract\\.pdf" application/pdf, ${CONTRACT.length} bytes`))
  assert.match(results, /Signed by Ada Lovelace/)
  assert.match(results, new RegExp(`A download is complete: ${INVOICE.length} bytes`))
  assert.ok(site.seen.includes(`POST /upload?contract.pdf ${hashOf(CONTRACT)}`), site.seen.join('\n'))
  const kept = await filesOf(api, id)
  assert.equal(
    kept.map(({ id: _, ...file }) => ({ ...file, created_at: 0 })),
    [
      { name: 'contract.pdf', media_type: 'application/pdf', size: CONTRACT.length, origin: 'given', created_at: 0 },
      { name: 'invoice.pdf', media_type: 'application/pdf', size: INVOICE.length, origin: 'downloaded', created_at: 0 },
    ],
  )
  for (const [at, bytes] of [CONTRACT, INVOICE].entries()) {
    const { status, raw, headers } = await api.get(`/v1/tasks/${id}/files/${kept[at]?.id}`)
    assert.is(status, 200)
    assert.is(hashOf(raw), hashOf(bytes))
    assert.match(headers['content-disposition'] ?? '', /^attachment; filename="(contract|invoice)\.pdf"/)
    assert.is(headers['x-content-type-options'], 'nosniff')
  }
  const { json } = await api.get(`/v1/tasks/${id}/events?types=file.downloaded`)
  assert.equal(
    json.events.map(({ file_id, name, media_type, size }: Record<string, unknown>) => [
      file_id,
      name,
      media_type,
      size,
    ]),
    [[kept[1]?.id, 'invoice.pdf', 'application/pdf', INVOICE.length]],
  )
}

/** [U5] Downloads of a form and of a script are kept; one that is too large is told and not kept. */
export async function downloadsAll(api: Api, sessionId: string, ms: number): Promise<void> {
  const start = await api.start(sessionId, 'Fetch all papers')
  assert.is(start.status, 201, JSON.stringify(start.json))
  const { id } = start.json
  await finished(api, id, ms)
  const results = await turnsOf(api, id)
  const kept = await filesOf(api, id)
  assert.equal(
    kept.map(({ name }) => name),
    ['report.txt', '_made _here_.csv'],
    results,
  )
  assert.match(results, /A download cannot be read: The file is larger than 26214400 bytes\./)
  const texts = await Promise.all(kept.map(async (file) => (await api.get(`/v1/tasks/${id}/files/${file.id}`)).raw))
  assert.equal(
    texts.map((raw) => Buffer.from(raw).toString()),
    ['Report of POST', 'a;b'],
  )
}
