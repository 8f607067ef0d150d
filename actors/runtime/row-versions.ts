import { type Address, parseAddress } from '../../machines/addresses.ts'
import { NOT_HELD } from '../../machines/agent-loop.ts'
import { NO_BUDGET } from '../../machines/budget.ts'
import { BROWSER_WAIT_MS } from '../../machines/limits.ts'
import { NO_POOLS } from '../../machines/pools.ts'
import { NO_QUEUE } from '../../machines/queue.ts'
import type { ActorRow } from '../../machines/records.ts'
import { DEFAULT_LIMITS } from '../../machines/workspace-limits.ts'

/**
 * The version of each kept machine's rows: `task@9`. Raise one when a state or a field of its context comes, goes or
 * changes its meaning; test/machines/kept-shapes.test.ts fails until it is raised.
 */
export const ROW_VERSIONS = { workspace: 9, task: 12, closing: 6, delivery: 1 } as const
export type KeptKind = keyof typeof ROW_VERSIONS
/**
 * [M11] The versions that are written while a node is there that reads no newer ones. Who raises a version of `ROW_VERSIONS`
 * leaves it as it is here, and says in `DOWNGRADES` how it is written; one release later it is raised here.
 */
const EARLIEST_VERSIONS: Readonly<Record<KeptKind, number>> = { ...ROW_VERSIONS, workspace: 8, task: 9 }
const formatOf = (versions: Readonly<Record<KeptKind, number>>): number =>
  Object.values(versions).reduce((sum, version) => sum + version, 0)
/** [M11] Grows with each version: a reader of one format also reads all earlier ones. */
export const ROWS_FORMAT: number = formatOf(ROW_VERSIONS)
/** The earliest format that this version can write. */
export const EARLIEST_FORMAT: number = formatOf(EARLIEST_VERSIONS)

/** By kind and version: makes a snapshot of that version one of the next. A version without one cannot be brought back. */
type Upgrades = Readonly<Record<KeptKind, Readonly<Record<number, (snapshot: unknown) => unknown>>>>
const UPGRADES: Upgrades = {
  workspace: {
    6: (old) => withContext(old, { queue: NO_QUEUE, rateFreeAt: 0 }),
    7: (old) => withContext(old, { limits: DEFAULT_LIMITS }),
    8: (old) => withContext(old, { pools: NO_POOLS }),
  },
  task: {
    6: (old) => withContext(old, NEW_IN_7),
    7: askedAnew,
    8: (old) => withContext(old, { hasFinish: false, endsSoon: false, failures: 0 }),
    9: (old) => old,
    10: (old) => withContext(old, NEW_IN_11),
    11: grouped,
  },
  closing: {},
  delivery: {},
}

/** By kind and version: makes a snapshot of that version one of the version before. */
type Downgrades = Upgrades
const DOWNGRADES: Downgrades = {
  workspace: { 9: (row) => withoutContext(row, ['pools']) },
  task: { 10: unserved, 11: withNamedBrowser, 12: ungrouped },
  closing: {},
  delivery: {},
}

const NEW_IN_7 = {
  ...{ wantsOutput: false, misfits: 0, reminded: false },
  ...{ budget: NO_BUDGET, costUsd: 0, warnedAt: null },
  ...{ queuedUntil: null, browserWaitMs: BROWSER_WAIT_MS, begun: true },
  ...{ pausedBy: [], unread: 0, inputRequest: null, answered: [] },
}

const NEW_IN_11 = { pool: null, pageUrl: null, pageLost: false }

interface KeptTask {
  readonly value: unknown
  readonly children: Readonly<Record<string, unknown>>
  readonly context: { readonly inputRequest: { readonly call: object | null } | null }
}

/**
 * [I7] Of a task that read the page for an approval: its call has not left, and what it causes is asked for where it
 * happens. An approval that was asked for is one of the call itself.
 */
function askedAnew(old: unknown): unknown {
  const { value, children, context, ...rest } = old as KeptTask
  const { readTerms: _, ...others } = children
  const { inputRequest } = context
  const { terms: __, ...call } = (inputRequest?.call ?? {}) as { terms?: unknown }
  const request = inputRequest?.call ? { ...inputRequest, call: { ...call, held: null, changed: null } } : inputRequest
  const {
    approved: ___,
    reads: ____,
    ...kept
  } = context as KeptTask['context'] & { approved?: unknown; reads?: unknown }
  const now = { ...kept, ...NOT_HELD, allowedShapes: [], inputRequest: request }
  if ((value as { running?: unknown }).running !== 'readingTerms') return { ...rest, value, children, context: now }
  const unsent = { ...now, browserInstanceId: null }
  return { ...rest, value: { running: 'persistingIntent' }, children: others, context: unsent }
}

/** [L41] A version that has no such tools asks the browser for the call, which has no such tool either. */
function unserved(now: unknown): unknown {
  const { value, ...rest } = now as { value: { running?: unknown } | string }
  const isServing = typeof value === 'object' && value.running === 'serving'
  return { ...rest, value: isServing ? { running: 'persistingIntent' } : value }
}

/** A snapshot with fields of the context that its version did not have. */
function withContext(snapshot: unknown, added: object): unknown {
  const { context, ...rest } = snapshot as { context: object }
  return { ...rest, context: { ...added, ...context } }
}

/** A snapshot without fields of the context that the version before did not have. */
function withoutContext(snapshot: unknown, removed: readonly string[]): unknown {
  const { context, ...rest } = snapshot as { context: object }
  return { ...rest, context: Object.fromEntries(Object.entries(context).filter(([name]) => !removed.includes(name))) }
}

/** A node of the version before knows no pools: there the task waits for the browser that it was in. */
function withNamedBrowser(row: unknown): unknown {
  const { value, children, ...rest } = withoutContext(row, Object.keys(NEW_IN_11)) as KeptTask
  if ((value as { running?: unknown }).running !== 'changingBrowser') return { ...rest, value, children }
  const { placeWait: _, wantPlace: __, ...others } = children
  return { ...rest, value: { running: 'persistingIntent' }, children: others }
}

/** The states of version 12 that have states of version 11 in them. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  askingModel: ['thinking', 'backingOff'],
  callingTool: ['persistingIntent', 'acting', 'waitingForBrowser', 'changingBrowser', 'reconciling', 'serving'],
  waitingForPeople: ['waitingForInput', 'paused'],
}

function grouped(old: unknown): unknown {
  const { value, ...rest } = old as { value: { running?: string } | string }
  const state = typeof value === 'object' ? value.running : undefined
  const group = Object.keys(GROUPS).find((name) => state !== undefined && GROUPS[name]?.includes(state))
  return { ...rest, value: group === undefined ? value : { running: { [group]: state } } }
}

function ungrouped(now: unknown): unknown {
  const { value, ...rest } = now as { value: { running?: object | string } | string }
  const inner = typeof value === 'object' ? value.running : undefined
  return { ...rest, value: typeof inner === 'object' ? { running: Object.values(inner)[0] } : value }
}

const kindOf = (address: Address | string): KeptKind => parseAddress(address).actorKind as KeptKind

export const rowVersion = (address: Address): number => ROW_VERSIONS[kindOf(address)]

/**
 * [D11] The snapshot of a row as its machine is now, `null` for one that has not begun; `undefined`: it cannot be
 * brought back.
 */
export function upgraded({ address, version, snapshot }: ActorRow, upgrades: Upgrades = UPGRADES): unknown {
  const kind = kindOf(address)
  let now = snapshot
  for (let at = version; at !== ROW_VERSIONS[kind]; at++) {
    const upgrade = upgrades[kind][at]
    if (!upgrade) return undefined
    try {
      if (now !== null) now = upgrade(now)
    } catch {
      // What is damaged does not have the fields of its version.
      return undefined
    }
  }
  return now
}

/** [M11] The row as a node of the version before reads it. */
export function downgraded(
  row: ActorRow,
  downgrades: Downgrades = DOWNGRADES,
  versions: Readonly<Record<KeptKind, number>> = EARLIEST_VERSIONS,
): ActorRow {
  const kind = kindOf(row.address)
  let { version, snapshot } = row
  for (; version > versions[kind]; version--) {
    const downgrade = downgrades[kind][version]
    if (!downgrade) throw new Error(`A row of ${kind}@${version} cannot be written in an earlier version`)
    if (snapshot !== null) snapshot = downgrade(snapshot)
  }
  return { ...row, version, snapshot }
}
