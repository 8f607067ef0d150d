import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NoBrowser, startBrowser } from '../../src/browser/chromium.ts'
import { Tabs } from '../../src/browser/task-tabs.ts'
import { type Figure, quantile } from '../figures.ts'
import type { Testbed } from '../testbed.ts'
import { MB } from '../usage.ts'

const PLACES = 20
const FRESH = { domains: null, options: {}, isFresh: true }
const PAGE = '<!doctype html><title>A page</title><h1>A page</h1><button>Go on</button>'

/** A browser of a pool: how long the context of a task takes to start, alone and with its first page, and what a place costs. */
export async function measureContexts(bed: Testbed): Promise<Figure[]> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PAGE))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    const rounds: Awaited<ReturnType<typeof oneBrowser>>[] = []
    for (const _ of bed.rounds) rounds.push(await oneBrowser(url, bed.size(PLACES, 2)))
    const of = (what: keyof (typeof rounds)[number]) => rounds.map((round) => round[what])
    return [
      { what: 'start of a context, p50', unit: 'ms', rounds: of('startMs') },
      { what: 'with its first page', unit: 'ms', rounds: of('pageMs') },
      { what: 'end of a context, p50', unit: 'ms', rounds: of('endMs') },
      { what: 'memory of a place with a small page', unit: 'MB', rounds: of('placeMb') },
      { what: 'memory of a browser without a task', unit: 'MB', rounds: of('idleMb') },
    ]
  } catch (error) {
    if (!(error instanceof NoBrowser)) throw error
    console.log(error.message)
    return []
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function oneBrowser(url: string, places: number) {
  const browser = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined })
  const tabs = new Tabs(browser)
  const begin = async (task: string) => {
    const begun = performance.now()
    await browser.separate(task, FRESH)
    const started = performance.now()
    await tabs.execute(task, 'navigate', { url }, new AbortController().signal)
    return { start: started - begun, page: performance.now() - begun }
  }
  const end = async (task: string) => {
    const begun = performance.now()
    await tabs.end(task)
    await browser.ended(task)
    return performance.now() - begun
  }
  try {
    // What a browser loads with its first page belongs to no place.
    const first = randomUUID()
    await begin(first)
    await end(first)
    const idle = memoryBelow(process.pid)
    const tasks = Array.from({ length: places }, () => randomUUID())
    const begun: Awaited<ReturnType<typeof begin>>[] = []
    for (const task of tasks) begun.push(await begin(task))
    const full = memoryBelow(process.pid)
    const ended: number[] = []
    for (const task of tasks) ended.push(await end(task))
    const p50 = (values: readonly number[]) => quantile(values, 0.5)
    return {
      startMs: p50(begun.map(({ start }) => start)),
      pageMs: p50(begun.map(({ page }) => page)),
      endMs: p50(ended),
      placeMb: (full - idle) / places / MB,
      idleMb: idle / MB,
    }
  } finally {
    await browser.close()
  }
}

/** The bytes of all processes below one, what they share divided among those who share it (Linux). */
function memoryBelow(pid: number): number {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const parent = /^PPid:\s*(\d+)/m.exec(textOf(`/proc/${name}/status`))?.[1]
    if (parent !== undefined) children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(name)])
  }
  const below = (of: number): number =>
    (children.get(of) ?? []).reduce((sum, child) => sum + ownOf(child) + below(child), 0)
  return below(pid)
}

const ownOf = (pid: number): number =>
  Number(/^Pss:\s*(\d+) kB/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1_024

/** Empty when the process has ended meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
