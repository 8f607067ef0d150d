import type { Binary } from 'bson'
import { CommandError, type Doc } from './doc.ts'
import { isConflict, Transaction } from './transaction.ts'

/** As a server comes; a longer one is aborted. Neither does a real server end it sooner for a connection that is gone. */
export const LIFETIME_MS = 60_000
/** The label by which a driver knows that the whole transaction can be tried again. */
export const TRANSIENT = { errorLabels: ['TransientTransactionError'] }
const IN_TRANSACTIONS = ['find', 'aggregate', 'getMore', 'killCursors', 'insert', 'update', 'delete', 'findAndModify']

interface Session {
  txnNumber: number
  /** How its newest transaction stands; `null`: that was a write of its own, which may be tried again. */
  state: 'open' | 'committed' | 'aborted' | null
  transaction: Transaction | null
  /** Of that write. */
  answer: Doc | null
}

export interface SessionsOptions {
  readonly now: () => number
  readonly lifetimeMs: number
  readonly standalone: boolean
}

/** The transactions of all sessions, and the writes that a driver tries again. */
export class Sessions {
  readonly open = new Set<Transaction>()
  readonly #sessions = new Map<string, Session>()
  readonly #options: SessionsOptions
  #longestMs = 0
  constructor(options: SessionsOptions) {
    this.#options = options
  }

  /** Runs a command in its transaction, or in one of its own: an error leaves nothing of it. */
  run(command: Doc, work: (transaction: Transaction) => Doc): Doc {
    const { now, lifetimeMs, standalone } = this.#options
    for (const old of this.open) if (now() - old.began > lifetimeMs) this.abort((each) => each === old)
    for (const lsid of (command.endSessions ?? command.killSessions ?? []) as Doc[]) this.#end(lsid)
    if (command.txnNumber === undefined) return this.#alone(work)
    if (standalone) {
      const only = 'Transaction numbers are only allowed on a replica set member or mongos'
      throw new CommandError(20, only, { codeName: 'IllegalOperation' })
    }
    const txnNumber = Number(command.txnNumber)
    const session = this.#of(command.lsid as Doc)
    if (txnNumber < session.txnNumber) {
      const newer = `Cannot start transaction ${txnNumber}: the session has ${session.txnNumber}`
      throw new CommandError(225, newer, { codeName: 'TransactionTooOld' })
    }
    if (command.autocommit === false) return this.#inTransaction(command, txnNumber, session, work)
    if (txnNumber === session.txnNumber && session.answer) return session.answer
    this.#finish(session, null)
    return Object.assign(session, { txnNumber, answer: this.#alone(work) }).answer
  }

  /** How long a transaction has been open at most, those that are open still among them. */
  longestMs(): number {
    for (const { began } of this.open) this.#lasted(began)
    return this.#longestMs
  }

  #lasted(began: number): void {
    this.#longestMs = Math.max(this.#longestMs, this.#options.now() - began)
  }

  /** Aborts some of the open transactions; their next command is told so. */
  abort(which: (transaction: Transaction) => boolean): void {
    for (const session of this.#sessions.values()) {
      if (session.transaction && which(session.transaction)) this.#finish(session, 'aborted')
    }
  }

  /** Aborts the transaction of a command. */
  abortOf({ lsid }: Doc): void {
    this.#finish(this.#of(lsid as Doc), 'aborted')
  }

  #inTransaction(command: Doc, txnNumber: number, session: Session, work: (transaction: Transaction) => Doc): Doc {
    const [name = ''] = Object.keys(command)
    if (command.startTransaction) {
      if (txnNumber === session.txnNumber) throw new CommandError(50911, `Transaction ${txnNumber} has been started`)
      this.#finish(session, 'open')
      Object.assign(session, { txnNumber, transaction: new Transaction(this.#options.now()) })
      if (session.transaction) this.open.add(session.transaction)
    }
    const { transaction, state } = session
    if (state === 'committed' && txnNumber === session.txnNumber) {
      if (name === 'commitTransaction') return {}
      throw new CommandError(256, `Transaction ${txnNumber} has been committed`, { codeName: 'TransactionCommitted' })
    }
    if (!transaction || txnNumber !== session.txnNumber) {
      const details = { codeName: 'NoSuchTransaction', ...TRANSIENT }
      throw new CommandError(251, `Transaction ${txnNumber} has been aborted`, details)
    }
    if (name === 'commitTransaction') transaction.commit()
    if (name === 'commitTransaction' || name === 'abortTransaction') {
      this.#finish(session, name === 'commitTransaction' ? 'committed' : 'aborted')
      return {}
    }
    try {
      if (!IN_TRANSACTIONS.includes(name) && name !== 'bulkWrite') {
        const details = { codeName: 'OperationNotSupportedInTransaction' }
        throw new CommandError(263, `Cannot run '${name}' in a multi-document transaction.`, details)
      }
      const answer = work(transaction)
      if (answer.writeErrors || answer.nErrors) this.#finish(session, 'aborted')
      return answer
    } catch (error) {
      this.#finish(session, 'aborted')
      if (error instanceof CommandError && isConflict(error)) Object.assign(error.details, TRANSIENT)
      throw error
    }
  }

  #alone(work: (transaction: Transaction) => Doc): Doc {
    const transaction = new Transaction(this.#options.now())
    const answer = work(transaction)
    transaction.commit()
    return answer
  }

  #finish(session: Session, state: Session['state']): void {
    if (session.transaction) {
      this.open.delete(session.transaction)
      this.#lasted(session.transaction.began)
    }
    Object.assign(session, { state, transaction: null, answer: null })
  }

  #of(lsid: Doc): Session {
    const key = keyOf(lsid)
    const session = this.#sessions.get(key) ?? { txnNumber: -1, state: null, transaction: null, answer: null }
    this.#sessions.set(key, session)
    return session
  }
  #end(lsid: Doc): void {
    this.#finish(this.#of(lsid), null)
    this.#sessions.delete(keyOf(lsid))
  }
}

const keyOf = ({ id }: Doc): string => (typeof id === 'string' ? id : (id as Binary).toString('hex'))
