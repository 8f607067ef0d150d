import { isWithin } from '../../machines/domains.ts'
import { journalOf } from '../../machines/journal.ts'
import { CONTEXT_TOKENS_DEFAULT, NOTES_CHARS_MAX, STORE_RETRY_MS } from '../../machines/limits.ts'
import type { ProfileUse } from '../../machines/profiles.ts'
import type { RecipeUse, Values } from '../../machines/recipe.ts'
import type { ContextOptions, Effort, JournalCall, JournalEntry, TaskRecord } from '../../machines/records.ts'
import { type SecretRecord, secretsIn } from '../../machines/secrets.ts'
import { isServed, NOTE } from '../../machines/served-calls.ts'
import type { LogEntry } from '../../machines/task-log.ts'
import type { TaskContext } from '../../machines/task-types.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { TASK_JOURNAL_CHARS_MAX } from '../limits.ts'
import { wholeLog } from '../runtime/damage.ts'
import { type Message, type OutputSchema, type Ports, type Store, StoreDamaged } from '../runtime/ports.ts'
import { chosenModel } from './chosen-model.ts'
import { type Earlier, readEarlier } from './continued-tasks.ts'
import { MessageHistory, openedMessage } from './history.ts'
import { pageContent } from './page-content.ts'
import { PlayedPart } from './played-recipe.ts'
import { type Briefing, firstMessage } from './prompt.ts'
import { hasRoomForScreenshot } from './screenshots.ts'

type Reply = Extract<JournalEntry, { kind: 'reply' }>
type Result = Extract<JournalEntry, { kind: 'result' }>
type Said = Extract<JournalEntry, { kind: 'message' }>
type Nested = Extract<JournalEntry, { kind: 'nested' }>
type Deviated = Extract<JournalEntry, { kind: 'deviation' }>

/** What the model gives to the service's own tools it has not done on any page. */
const isForPage = (call: JournalCall): boolean => call.tool !== 'finish' && !isServed(call)

/** In place of an image that has not been read from the store yet. */
const NOT_READ = ''

/**
 * A task's conversation: the entries of its journal, and the history that the model reads. The history is made of the
 * journal alone, so a restored conversation has the same prefix as before.
 */
export class Conversation {
  /** [L31, L36, F1] The schema of the output, the model that the task asked for, the domains that it is confined to. */
  readonly outputSchema: OutputSchema | null
  readonly model: string | null
  /** [L46] How hard its model is to think. */
  readonly effort: Effort | null
  readonly allowedDomains: readonly string[] | null
  /** [I5] Which actions of the task need an approval, and [I4] whether its model may ask its user. */
  readonly approvals: NonNullable<TaskRecord['approvals']>
  readonly asksUser: boolean
  /** [X2] Its secrets without their values, and those sealed. */
  readonly secrets: readonly SecretRecord[]
  readonly sealedSecrets: string | null
  /** [X13] Of the tasks that this one continues, sealed for this one. */
  readonly fingerprints: string | null
  /** [Z8] How its browser context is to be; `null`: as the browser has it. */
  readonly contextOptions: ContextOptions | null
  /** [Z11] The profile that signs it in to sites. */
  readonly profile: ProfileUse | null
  /** [Z13] Where a person is to sign in. */
  readonly url: string | null
  /** [J5] The recipe that it makes or plays, and [J1] its inputs. */
  readonly recipe: RecipeUse | null
  readonly inputs: Values
  /** [I10] The address at which the first tab of the task begins; `null`: it is empty. */
  readonly startsAt: string | null
  /** The task in its user's words, with the context. */
  readonly #asked: string
  /** [I1] Messages of the user that no request to the model has had yet. */
  readonly #unread: string[] = []
  /** [L38] Sites whose notes the model has had, and notes that no request to it has had yet. */
  readonly #sites = new Set<string>()
  readonly #notes: string[] = []
  /** [J9] What a recipe has done that no request to the model has had yet. */
  readonly #played = new PlayedPart()
  #read = 0
  /** [L44] What its notes have of their NOTES_CHARS_MAX. */
  #noteChars = 0
  /** [L41] Calls that other calls asked for, by their request ids: the model reads none of their results. */
  readonly #nested = new Map<string, { readonly call: Nested; result?: Result }>()
  readonly #entries: JournalEntry[] = []
  readonly #history: MessageHistory
  #screenshots = 0
  #imageChars = 0
  #chars = 0

  /** `contextTokens`: what the model can read and write together. `earlier`: of the tasks that this one continues. */
  constructor(record: Briefing, contextTokens: number, earlier: Earlier | null = null) {
    this.outputSchema = record.outputSchema ? JSON.parse(record.outputSchema) : null
    this.model = record.model ?? null
    this.effort = record.effort ?? null
    this.allowedDomains = record.allowedDomains ?? null
    this.approvals = record.approvals ?? 'never'
    this.asksUser = record.asksUser ?? this.approvals !== 'never'
    this.secrets = record.secrets ?? []
    this.sealedSecrets = record.sealedSecrets ?? null
    this.fingerprints = (record.continuesTaskId ? record.fingerprints : null) ?? null
    this.contextOptions = record.browser?.context ?? null
    this.profile = record.browser?.profile ?? null
    this.url = record.url
    this.recipe = record.recipe ?? null
    this.inputs = record.inputs ?? {}
    this.startsAt = startOf(record, earlier)
    this.#asked = [record.task, record.url, record.context].filter(Boolean).join('\n')
    const before = earlier?.messages ?? []
    const continues = this.startsAt === null ? TO_MODEL.continues : TO_MODEL.continuesAtPage
    const text = `${before.length > 0 ? `${continues}\n\n` : ''}${firstMessage(record)}`
    this.#history = new MessageHistory([...before, { role: 'user', text }], contextTokens)
  }

  /** The conversation of a kept log, with the screenshots that the model still sees. */
  static async restore(
    record: TaskRecord,
    contextTokens: number,
    store: Pick<Store, 'log' | 'image'>,
    earlier: Earlier | null = null,
    log?: readonly LogEntry[],
  ): Promise<Conversation> {
    const journal = journalOf(log ?? (await store.log(record.id)))
    const conversation = Conversation.of(record, contextTokens, journal, earlier)
    await conversation.#history.readImages((number) => store.image(record.id, number))
    return conversation
  }

  /** The conversation of these entries; images are not read. */
  static of(
    record: Briefing,
    contextTokens: number,
    entries: readonly JournalEntry[],
    earlier: Earlier | null,
  ): Conversation {
    const conversation = new Conversation(record, contextTokens, earlier)
    for (const entry of entries) {
      if (entry.kind === 'reply') conversation.addReply(entry)
      else if (entry.kind === 'message') conversation.addMessage(entry)
      else if (entry.kind === 'nested') conversation.addNested(entry)
      else if (entry.kind === 'deviation') conversation.addDeviation(entry)
      else conversation.addResult(entry, entry.screenshot === null ? null : NOT_READ)
    }
    return conversation
  }

  /** How many tokens the next request has; the system prompt and the tools are in it once the provider has counted. */
  get tokens(): number {
    return this.#history.tokens
  }
  get lastReply(): Reply | undefined {
    return this.#entries.findLast((entry): entry is Reply => entry.kind === 'reply')
  }

  /** Whether any call of the task has a result. */
  get hasActed(): boolean {
    return this.#entries.some(({ kind }) => kind === 'result')
  }

  /** [L25] What the user has said, and what the model has done: no page has to say it as well. */
  get ownWords(): string {
    const said = this.#entries.flatMap((entry) => {
      if (entry.kind === 'message') return [entry.text]
      if (entry.kind === 'reply')
        return entry.calls.filter(isForPage).map(({ input }) => Object.values(input).join(' '))
      return entry.kind === 'result' && entry.tool === 'ask_user' ? [entry.text] : []
    })
    return [this.#asked, ...said].join('\n')
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries
  }
  get messages(): readonly Message[] {
    return this.#history.messages
  }

  /** [L30] Whether there is no room for another step. */
  get isFull(): boolean {
    return this.#chars > TASK_JOURNAL_CHARS_MAX
  }

  /** The number of the next screenshot. */
  get screenshots(): number {
    return this.#screenshots
  }

  /**
   * [T54] Whether a screenshot in base64 is within what those of a task may take; what was taken before a restart is
   * not counted.
   */
  hasRoomFor(image: string): boolean {
    return hasRoomForScreenshot(this.#imageChars, image)
  }

  /** The tools that the model was last offered beside the seven; `undefined` before its first reply. */
  get announced(): readonly string[] | null | undefined {
    return this.lastReply?.announced
  }

  replyOf(step: number): Reply | undefined {
    return replyIn(this.#entries, step)
  }

  resultOf(requestId: string): Result | undefined {
    return resultIn(this.#entries, requestId)
  }

  /** [I1] The user has said something: the next request to the model has it. */
  addMessage(entry: Said): void {
    this.#entries.push(entry)
    this.#chars += entry.text.length
    this.#unread.push(entry.text)
  }

  /**
   * Adds the notes on new sites and the user's messages for the next request. Returns how many messages have been read
   * so far.
   */
  readMessages(count = Number.POSITIVE_INFINITY): number {
    const messages = this.#unread.splice(0, Math.max(0, count - this.#read)).map(TO_MODEL.message)
    this.#read += messages.length
    for (const text of [...this.#notes.splice(0), ...messages]) this.#history.add({ role: 'user', text })
    return this.#read
  }

  /** [J9] From here on the model works. */
  addDeviation(entry: Deviated): void {
    this.#entries.push(entry)
    this.#played.deviated(entry)
  }

  /** [J9] Adds what a recipe has done for the next request, once. */
  readPlayed(): void {
    const text = this.#played.take()
    if (text !== null) this.#history.add({ role: 'user', text })
  }

  /** [J11] What a recipe did and read, for an answer to be made of it; `charsMax` of the readings, the last ones first. */
  played(charsMax: number): string {
    return this.#played.forAnswer(charsMax)
  }

  hasNotesOn(domain: string): boolean {
    return this.#sites.has(domain)
  }

  addReply(entry: Reply): void {
    if (entry.played) {
      this.#entries.push(entry)
      this.#played.asked(entry)
      return
    }
    this.readPlayed()
    // After a restart: messages that the model had read come before its reply, the others after it.
    this.readMessages(entry.read ?? 0)
    this.#entries.push(entry)
    const calls = entry.calls.map(({ requestId, tool, input }) => ({ id: requestId, tool, input }))
    this.#chars += entry.text.length + JSON.stringify(calls).length
    const replay = entry.replay === undefined ? {} : { replay: entry.replay }
    const { inputTokens, outputTokens } = entry.usage
    const counted = inputTokens > 0 ? inputTokens + outputTokens : 0
    this.#history.add({ role: 'assistant', text: entry.text, calls, ...replay }, counted)
    if (entry.hasFinish && calls.length === 0) this.#history.add({ role: 'user', text: TO_MODEL.useFinish })
  }

  addNested(call: Nested): void {
    this.#entries.push(call)
    this.#chars += JSON.stringify(call.input).length
    this.#nested.set(call.requestId, { call })
  }

  /** [L41] The settled calls that a call has asked for, in their order. */
  nestedOf(parent: string): { readonly call: Nested; readonly result: Result }[] {
    return [...this.#nested.values()].flatMap(({ call, result }) =>
      call.parent === parent && result ? [{ call, result }] : [],
    )
  }

  addResult(entry: Result, image: string | null): void {
    this.#entries.push(entry)
    if (entry.screenshot !== null) this.#screenshots = entry.screenshot + 1
    if (image !== null) this.#imageChars += image.length
    const { requestId: id, tool, text, failed, site } = entry
    this.#chars += text.length
    if (this.#played.has(id)) {
      this.#played.done(entry)
      return
    }
    if (site) {
      this.#chars += site.text.length
      this.#sites.add(site.domain)
      this.#notes.push(TO_MODEL.siteNotes(site.domain, site.text))
    }
    const result = { id, tool, text, failed, image }
    const nested = this.#nested.get(id)
    if (tool === NOTE && !failed) this.#keepNote(id, nested?.call)
    if (nested) nested.result = entry
    // [L47] No reply has asked for it: to its model it is a part of what the task begins with.
    else if (entry.step === 0) this.#history.add(openedMessage(result))
    else this.#history.addResult(result, entry.screenshot)
  }

  /** [L44] Calls of the model stay whole in its history; what a script has noted follows its result. */
  #keepNote(requestId: string, nested: Nested | undefined): void {
    const calls = nested ? [nested] : this.#entries.flatMap((entry) => (entry.kind === 'reply' ? entry.calls : []))
    const text = String(calls.find((call) => call.requestId === requestId)?.input.text ?? '')
    this.#noteChars += text.length
    if (nested) this.#notes.push(`${TO_MODEL.noteOfScript}\n${pageContent(text)}`)
  }

  /** [L44] How many characters its notes may still have. */
  get noteRoom(): number {
    return NOTES_CHARS_MAX - this.#noteChars
  }

  /** The model's endpoint found the request too long. */
  shrink(): void {
    this.#history.shrink()
  }
}

export const replyIn = (entries: readonly JournalEntry[], step: number): Reply | undefined =>
  entries.findLast((entry): entry is Reply => entry.kind === 'reply' && entry.step === step)

export const resultIn = (entries: readonly JournalEntry[], requestId: string): Result | undefined =>
  entries.findLast((entry): entry is Result => entry.kind === 'result' && entry.requestId === requestId)

/** [I10] Where the earlier task ended, unless the new one names its own first page or may not go there. */
function startOf({ url, allowedDomains }: Briefing, earlier: Earlier | null): string | null {
  const last = earlier?.url ?? null
  if (last === null || url !== null || !/^https?:/.test(last) || secretsIn(last).length > 0) return null
  return allowedDomains && !isWithin(allowedDomains, last) ? null : last
}

/** The logs that conversations are read from. */
interface Logs {
  /** Resolves when what was appended to the logs of a workspace up to now is kept. */
  written(workspaceId: string): Promise<void>
  /** The number of the last entry that is kept of a running task. */
  endOf(taskId: string): number
  /** The log of a task is damaged, or some of it is missing. */
  unreadable(taskId: string, error: unknown): void
}

/** A conversation that is being read from the log. */
interface Reading {
  readonly restored: Promise<Conversation>
  /** The log got an entry meanwhile, which may be missing in what is read. */
  isOutdated: boolean
}

/**
 * The conversations of the tasks that run in this process. The log is what is kept: a conversation that is not in memory,
 * as after a restart, is read from it when it is needed.
 */
export class Conversations {
  readonly #kept = new Map<string, Conversation | Reading>()
  readonly #ports: Pick<Ports, 'store' | 'clock' | 'model'>
  readonly #logs: Logs

  constructor(ports: Pick<Ports, 'store' | 'clock' | 'model'>, logs: Logs) {
    this.#ports = ports
    this.#logs = logs
  }

  /** Begins the conversation of a new task, which has no log yet. */
  begin(record: TaskRecord): void {
    this.#kept.set(record.id, new Conversation(record, this.#contextTokens(record)))
  }

  /**
   * Returns the conversation itself if it is in memory, else a promise of it, read from the log. Rejects if there is no
   * such task.
   */
  of(taskId: string): Conversation | Promise<Conversation> {
    const kept = this.#kept.get(taskId)
    if (kept) return kept instanceof Conversation ? kept : kept.restored
    const reading = { isOutdated: false } as { -readonly [K in keyof Reading]: Reading[K] }
    this.#kept.set(taskId, reading)
    reading.restored = this.#restore(taskId, reading)
    reading.restored.catch(() => {
      if (this.#kept.get(taskId) === reading) this.#kept.delete(taskId)
    })
    return reading.restored
  }

  /**
   * At least what is kept of one step of a running task. A log that is not in memory is not read whole for it, nor kept:
   * a start asks this of all its tasks at once. `null`: it is damaged, and the task ends.
   */
  async entriesOf({
    taskId,
    workspaceId,
    step,
  }: Pick<TaskContext, 'taskId' | 'workspaceId' | 'step'>): Promise<readonly JournalEntry[] | null> {
    const { store, clock } = this.#ports
    for (;;) {
      const kept = this.#kept.get(taskId)
      if (kept instanceof Conversation) return kept.entries
      try {
        await this.#logs.written(workspaceId)
        return journalOf(await store.log(taskId, { step }))
      } catch (error) {
        if (error instanceof StoreDamaged) {
          this.#logs.unreadable(taskId, error)
          return null
        }
        await new Promise<void>((resolve) => clock.setTimeout(resolve, STORE_RETRY_MS))
      }
    }
  }

  /**
   * [D4] The conversation that an entry joins which is appended to the log in this moment. `null`: it is not in memory, and has
   * the entry when it is read. An action of a machine cannot wait for it, and needs no conversation to append.
   */
  joinedBy(taskId: string): Conversation | null {
    const kept = this.#kept.get(taskId)
    if (kept instanceof Conversation) return kept
    if (kept) kept.isOutdated = true
    return null
  }

  forget(taskId: string): void {
    this.#kept.delete(taskId)
  }

  #contextTokens({ model }: Pick<TaskRecord, 'model'>): number {
    return chosenModel(this.#ports.model, model).contextTokens ?? CONTEXT_TOKENS_DEFAULT
  }

  async #restore(taskId: string, reading: Reading): Promise<Conversation> {
    const { store, clock } = this.#ports
    const isWanted = () => this.#kept.get(taskId) === reading
    for (;;) {
      try {
        const record = await store.tasks.get(taskId)
        if (!record) break
        const earlier = await readEarlier(record, store)
        do {
          reading.isOutdated = false
          await this.#logs.written(record.workspaceId)
          const end = this.#logs.endOf(taskId)
          const log = wholeLog(taskId, await store.log(taskId), end)
          const read = await Conversation.restore(record, this.#contextTokens(record), store, earlier, log)
          if (reading.isOutdated) continue
          if (isWanted()) this.#kept.set(taskId, read)
          return read
        } while (isWanted())
        throw new Error(`Task ${taskId} has ended`)
      } catch (error) {
        if (!isWanted()) throw error
        if (error instanceof StoreDamaged) {
          this.#logs.unreadable(taskId, error)
          throw error
        }
        await new Promise<void>((resolve) => clock.setTimeout(resolve, STORE_RETRY_MS))
      }
    }
    throw new Error(`Task ${taskId} has no record`)
  }
}
