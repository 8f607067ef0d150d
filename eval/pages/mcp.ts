import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { playwrightMcp } from '../harness/cache.ts'

/** Playwright MCP as a client sees it: a tool by name, its answer as text. */
export interface Mcp {
  call(tool: string, input: object): Promise<{ text: string; ms: number }>
  close(): Promise<void>
}

interface Message {
  readonly id?: number
  readonly result?: { readonly content?: readonly { readonly text?: string }[] }
  readonly error?: { readonly message: string }
}

export async function openMcp(): Promise<Mcp> {
  const chrome = process.env.CHROME_PATH || '/usr/bin/chromium'
  const folder = await mkdtemp(join(tmpdir(), 'browser-task-eval-mcp-'))
  const args = ['--output-dir', folder, '--headless', '--isolated', '--no-sandbox', '--executable-path', chrome]
  const child = spawn(process.execPath, [await playwrightMcp(), ...args], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map<number, (message: Message) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message
    if (message.id !== undefined) waiting.get(message.id)?.(message)
  })
  let next = 1
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (method: string, params: object) =>
    new Promise<Message>((resolve) => {
      const id = next++
      waiting.set(id, resolve)
      send({ id, method, params })
    })
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'eval', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  return {
    async call(name, input) {
      const started = performance.now()
      const { result, error } = await ask('tools/call', { name, arguments: input })
      if (error) throw new Error(`${name}: ${error.message}`)
      const text = (result?.content ?? []).map(({ text = '' }) => text).join('\n')
      return { text, ms: performance.now() - started }
    },
    async close() {
      const exited = once(child, 'exit')
      child.stdin.end()
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
