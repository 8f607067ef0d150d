import type { Store } from '../../../actors/runtime/ports.ts'
import { type EventRecord, eventsIn, type LogEntry, type LogRecord, type LogType } from '../../../machines/task-log.ts'
import { EVENTS_PER_TASK_MAX, POSITIONS_RESERVED } from '../limits.ts'
import { collected, type Driver, removeRange, type Transaction } from '../port.ts'
import { EVENTS_EXPIRED, LOG, type LogRow, POSITIONS } from '../tables.ts'

/** What appends to logs in a transaction. */
export type Append = (records: readonly LogRecord[]) => Promise<void>
export type AppendingTransaction = <T>(work: (tx: Transaction, append: Append) => Promise<T>) => Promise<T>

/**
 * Transactions that append to logs, and hide what is too many for clients. Positions are noted ahead, so that few of them
 * have to. [W18] One that notes them holds up no other one: what is noted already is enough for the others, or they have
 * a row of their own.
 * @param by who gives the positions
 */
export function appendingTo(driver: Driver, by: string): AppendingTransaction {
  let noted = 0
  const notes = new Set<number>()
  return async (work) => {
    let ahead = 0
    let note = 0
    const append = async (tx: Transaction, records: readonly LogRecord[]) => {
      for (const record of records) {
        const row = rowOf(record)
        tx.add(LOG, row)
        if (row.seq > EVENTS_PER_TASK_MAX) await hideTo(tx, record, row.seq - EVENTS_PER_TASK_MAX)
      }
      const last = Math.max(0, ...records.map(({ position }) => position ?? 0))
      // Two ahead: so others have time until they need more.
      const to = last === 0 ? 0 : (Math.floor(last / POSITIONS_RESERVED) + 2) * POSITIONS_RESERVED
      if (ahead === 0) {
        if (to <= noted || (notes.size > 0 && last <= noted)) return
        while (notes.has(note)) note++
        notes.add(note)
      }
      ahead = to
      tx.put(POSITIONS, { by: `${by} ${note}`, position: to })
    }
    try {
      const result = await driver.transact((tx) => work(tx, (records) => append(tx, records)))
      noted = Math.max(noted, ahead)
      return result
    } finally {
      if (ahead > 0) notes.delete(note)
    }
  }
}

/** Removes the log of a task; resolves to its last position, 0 if clients read nothing of it. */
export async function removeLog(tx: Transaction, taskId: string): Promise<number> {
  await removeRange(tx, LOG, null, { of: [taskId] })
  for await (const { position } of tx.range(LOG, null, { of: [taskId], down: true, damaged }))
    if (position !== null) return position
  return 0
}

/** Hides the log of a task from clients, but for what its conversation and its steps are made of; resolves as `removeLog`. */
export async function hideLog(tx: Transaction, taskId: string): Promise<number> {
  let last = 0
  for await (const row of tx.range(LOG, null, { of: [taskId], damaged })) last = hide(tx, row) ?? last
  return last
}

async function hideTo(tx: Transaction, { taskId, workspaceId }: LogRecord, seq: number): Promise<void> {
  let last = 0
  for await (const row of tx.range(LOG, null, { of: [taskId], to: seq + 1, down: true, damaged })) {
    const position = hide(tx, row)
    if (position === null) break
    last = Math.max(last, position)
  }
  await expireTo(tx, workspaceId, last)
}

/** Its position; `null`: it is hidden already. */
function hide(tx: Transaction, row: LogRow): number | null {
  if (row.position === null) return null
  const entries = row.entries.filter(isRemembered)
  if (entries.length === 0) tx.remove(LOG, row.taskId, row.seq)
  else tx.put(LOG, { ...row, workspaceId: null, position: null, entries })
  return row.position
}

/** [D23] A row that is damaged keeps nobody from the others. Of a conversation none may be missing: `logOf` reads all or none. */
const damaged = () => {}

const isRemembered = (entry: LogEntry): boolean =>
  entry.private !== undefined || entry.kind === 'tool.called' || entry.kind === 'message.received'

/** A workspace has lost what it had up to here to its age. */
export async function expireTo(tx: Transaction, workspaceId: string, position: number): Promise<void> {
  const kept = await tx.get(EVENTS_EXPIRED, workspaceId)
  if (position > (kept?.position ?? 0)) tx.put(EVENTS_EXPIRED, { workspaceId, position })
}

/** The whole log of a task, for the service alone. */
export const logOf = async (driver: Driver, taskId: string): Promise<LogEntry[]> =>
  (await collected(driver.range(LOG, null, { of: [taskId] }))).flatMap(({ entries }) => entries)

/** What a log has behind an entry. */
export const logAfter = async (driver: Driver, taskId: string, n: number): Promise<LogEntry[]> =>
  (await collected(driver.range(LOG, null, { of: [taskId], from: n + 1 }))).flatMap(({ entries }) =>
    entries.filter((entry) => entry.n > n),
  )

/** After so many guesses the rest is halved: steps may be spread unevenly over the rows. */
const GUESSES_MAX = 6

/**
 * The entries of one step. Steps only grow within a log: the first row of this one is guessed from the steps around it,
 * beginning at the end, where the step at hand is. From a row in the midst of it, its beginning is a few rows back.
 */
export async function logOfStep(driver: Driver, taskId: string, step: number): Promise<LogEntry[]> {
  const seqs = (await collected(driver.keys(LOG, null, { of: [taskId] }))).map(([, seq]) => Number(seq))
  const seen = new Map<number, readonly LogEntry[]>()
  const entriesAt = async (at: number) => {
    const entries = seen.get(at) ?? (await driver.get(LOG, taskId, seqs[at] ?? 0))?.entries ?? []
    seen.set(at, entries)
    return entries
  }
  let [low, high, before, behind] = [0, seqs.length, 0, step]
  for (let tries = 0; low < high; tries++) {
    const isGuess = tries < GUESSES_MAX
    const share = isGuess ? Math.max(0, Math.min(1, (step - before) / (behind - before + 1))) : 0.5
    const middle = isGuess && behind === step ? high - 1 : Math.min(high - 1, low + Math.floor((high - low) * share))
    let at = middle
    while (at < high - 1 && lastStep(await entriesAt(at)) === null) at++
    const entries = await entriesAt(at)
    const last = lastStep(entries)
    if (last !== null && last < step) [low, before] = [at + 1, last]
    else if (entries.some((entry) => entry.kind === 'model.replied' && entry.public.step === step)) low = high = at
    else [high, behind] = [middle, last ?? behind]
  }
  const found: LogEntry[] = []
  for (let at = low; at < seqs.length; at++) {
    const entries = await entriesAt(at)
    const steps = entries.map(stepOf)
    if (steps.some((each) => each !== null && each > step) && !steps.includes(step)) break
    found.push(...entries.filter((_, n) => steps[n] === step))
  }
  return found
}

/** The last step that entries are of. */
const lastStep = (entries: readonly LogEntry[]): number | null =>
  entries.reduce<number | null>((last, entry) => stepOf(entry) ?? last, null)

/** Of what is in the order of the steps; `null` of what is of none, or may come late. */
const stepOf = ({ kind, public: said }: LogEntry): number | null =>
  IN_ORDER.includes(kind) ? (said as { step: number }).step : null
const IN_ORDER: readonly LogType[] = ['model.replied', 'tool.called', 'tool.result', 'answer.checked']

/** What clients read of the logs. */
export const eventsOf = (driver: Driver): Store['events'] => ({
  async ofTask(taskId, after, limit) {
    const rows = driver.range(LOG, null, { of: [taskId], after: [after], damaged })
    return some(rows, limit, ({ seq }) => seq > after)
  },
  async newest(taskId, limit) {
    const found: EventRecord[] = []
    if (limit < 1) return found
    for await (const row of driver.range(LOG, null, { of: [taskId], down: true, damaged })) {
      found.unshift(...eventsIn(recordOf(row)))
      if (found.length >= limit) break
    }
    return found.slice(-limit)
  },
  async ofWorkspace(workspaceId, after, to, limit) {
    const rows = driver.range(LOG, 'by-position', { of: [workspaceId], from: after + 1, to: to + 1, damaged })
    return some(rows, limit, ({ position }) => position > after)
  },
  async lastPosition() {
    let last = 0
    for await (const { position } of driver.range(POSITIONS, null)) last = Math.max(last, position)
    return last
  },
  expired: async (workspaceId) => (await driver.get(EVENTS_EXPIRED, workspaceId))?.position ?? 0,
})

/** The first events of these rows that are wanted. */
async function some(
  rows: AsyncIterable<LogRow>,
  limit: number,
  isWanted: (event: EventRecord) => boolean,
): Promise<EventRecord[]> {
  const found: EventRecord[] = []
  if (limit < 1) return found
  for await (const row of rows) {
    found.push(...eventsIn(recordOf(row)).filter(isWanted))
    if (found.length >= limit) break
  }
  return found.slice(0, limit)
}

export function rowOf({ taskId, workspaceId, position, entries }: LogRecord): LogRow {
  return { taskId, seq: entries.at(-1)?.n ?? 0, workspaceId: position === null ? null : workspaceId, position, entries }
}

const recordOf = ({ taskId, workspaceId, position, entries }: LogRow): LogRecord => ({
  ...{ taskId, position, entries },
  workspaceId: workspaceId ?? '',
})
