import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Accounts, Member } from '../../src/api/deps.ts'
import { createHandle } from '../../src/api/handle.ts'
import type { Invitation, MemberView } from '../../src/identity/members.ts'
import type { Wanted } from '../../src/identity/pairings.ts'
import { createSecretBox } from '../../src/identity/secret-box.ts'
import { nodeTransport } from '../../src/net/node.ts'
import { createDrawings } from '../../src/observe/inspector/drawings.ts'
import { openPages } from '../../src/web/pages.ts'
import { endChromium, startChromium } from '../observe/inspector/world.ts'
import { makeSurface } from '../support/http-surface.ts'
import { memoryLog } from '../support/http-wire.ts'
import { plainDocument } from '../support/openapi-document.ts'
import { aTask, THEN } from '../support/stores.ts'
import { NO_MEMBERS } from './no-members.ts'
import { ANN, annAlone, depsOf } from './world.ts'

const MEMBERS: MemberView[] = [
  { userId: ANN.userId, name: 'Ann', email: ANN.email, role: 'owner' },
  { userId: 'v', name: 'Bob', email: 'bob@example.com', role: 'viewer' },
]
const INVITATION: Invitation = {
  ...{ id: 'a'.repeat(64), workspaceId: ANN.workspaces[0]?.id ?? '', email: 'cleo@example.com', role: 'member' },
  ...{ invitedBy: 'Ann (ann@example.com)', createdAt: THEN, expiresAt: THEN + 604_800_000 },
}

/** What an empty list offers. */
export const OFFER = { task: 'Order a teapot in the shop', url: 'http://127.0.0.1:4000', model: 'unpriced' }

/** The pictures of the recorded task: a test takes them for those of its own tasks. */
const PICTURES = new URL('../../src/web/static/example/', import.meta.url)

/** The pages and the API behind one listener, and a real browser that is signed in. `ownPool`: the pool for whose tasks the service starts a browser by itself. */
export async function openScene(reader: Member = ANN, ownPool: string | null = null) {
  const accounts: Accounts = {
    ...annAlone,
    principalOf: async ({ cookie }) => (cookie?.includes('signed=in') ? reader : null),
  }
  const surface = await makeSurface({ accounts, secretBox: createSecretBox(randomBytes(32)) })
  const { taskService, deps } = surface
  const { readTokens } = deps
  const pairings: Wanted[] = []
  const create = (wanted: Wanted) => {
    pairings.push(wanted)
    return deps.pairings.create(wanted)
  }
  const image = (_: string, number: number) => readFile(new URL(`${number}.jpg`, PICTURES)).catch(() => null)
  const store = { keys: surface.store.keys, traces: surface.store.traces, recipes: surface.store.recipes, image }
  const members = { ...NO_MEMBERS, list: async () => MEMBERS, invitations: async () => [INVITATION] }
  for (const workspace of reader.workspaces) await surface.store.workspaces.insert(workspace)
  const tryOut = { offer: async () => OFFER }
  const pages = await openPages(
    depsOf({
      ...{ accounts, readTokens, taskService, store, endpoints: deps.endpoints, tryOut, ownPool },
      inspector: { ...depsOf().inspector, ...createDrawings() },
      openApi: () => plainDocument(surface),
    }),
  )
  const listener = await nodeTransport(memoryLog()).listen({
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 10_000,
    handle: createHandle({ ...deps, members, pairings: { ...deps.pairings, create }, pages }),
    sockets: {},
  })
  const base = `http://127.0.0.1:${listener.port}`
  const browser = await startChromium()
  const context = await browser.newContext()
  await context.addCookies([{ name: 'signed', value: 'in', url: base }])
  return {
    taskService,
    store: surface.store,
    clock: surface.clock,
    readTokens,
    /** The pairing links that were asked for. */
    pairings,
    base,
    context,
    async close() {
      await endChromium(browser)
      await listener.close()
    },
    aRunningTask(): string {
      const record = aTask({ workspaceId: ANN.workspaces[0]?.id ?? '' })
      taskService.tasksById.set(record.id, { ...record, state: 'thinking' })
      taskService.keep(taskService.log.begin(record))
      return record.id
    },
    /** What a page asks for, and what its policy forbids, is noted. */
    async open(path: string) {
      const page = await context.newPage()
      const asked: string[] = []
      const errors: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      page.on('pageerror', ({ message }) => errors.push(message))
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      await page.goto(`${base}${path}`)
      return { page, asked, errors }
    },
  }
}

const usage = { inputTokens: 1, outputTokens: 1, apiCalls: 1 }
export const said = (step: number, text: string) =>
  ({ type: 'model.replied', at: THEN, step, text, model: 'm', usage }) as const
export const call = (step: number, id: string, tool: string, input: Record<string, unknown>) =>
  ({ type: 'tool.called', at: THEN, step, call_id: id, tool, input }) as const
export const result = (step: number, id: string, tool: string, output: string) =>
  ({ type: 'tool.result', at: THEN, step, call_id: id, tool, output, duration_ms: 5, has_screenshot: false }) as const
