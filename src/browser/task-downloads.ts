import { plainFileName } from '../wire/file-names.ts'
import { mediaTypeOf } from '../wire/files.ts'
import { FILE_BYTES_MAX } from '../wire/limits.ts'
import { ToolError } from './act/cdp.ts'
import type { Note } from './act/page.ts'
import { pause } from './act/waiting.ts'
import { type Download, type FileSource, type KeptFile, type TaskFile, tooLarge } from './files.ts'
import { DOWNLOAD_WAIT_MS_MAX, TASK_FILES_MAX } from './limits.ts'

/** A download of the task, on its way or over. */
interface Kept {
  readonly file: KeptFile
  readonly download: Download
  /** Resolves, when it is kept, to its bytes; rejects with a ToolError that says why it is not. */
  readonly bytes: Promise<Uint8Array<ArrayBuffer>>
  /** What became of it; `null` while it goes on. */
  outcome: string | null
}

const LOOK_MS = 20

/** [U5] What the tabs of one task download: each is kept by the service, and told with the call that it ends in. */
export class TaskDownloads {
  readonly #taskId: string
  readonly #source: FileSource
  #all: Kept[] = []
  /** Downloads that the model has not been told about yet. */
  #begun: Kept[] = []

  constructor(taskId: string, source: FileSource) {
    this.#taskId = taskId
    this.#source = source
  }

  begin(download: Download): void {
    const name = plainFileName(download.name)
    const file = { id: crypto.randomUUID(), name, mediaType: mediaTypeOf(name) }
    const kept: Kept = { file, download, bytes: this.#keep(file, download), outcome: null }
    kept.bytes.then(
      ({ length }) => {
        kept.outcome = `A download is complete: ${length} bytes. Read it with files.`
      },
      (error: Error) => {
        kept.outcome = `A download cannot be read: ${error.message}`
      },
    )
    this.#all = [...this.#all, kept].slice(-TASK_FILES_MAX)
    this.#begun.push(kept)
  }

  /** Resolves when what this call has begun to download is kept, or takes too long. */
  async ended(signal: AbortSignal): Promise<void> {
    const goesOn = () => this.#begun.some(({ outcome }) => outcome === null)
    for (let waited = 0; goesOn() && waited < DOWNLOAD_WAIT_MS_MAX && !signal.aborted; waited += LOOK_MS) {
      await pause(LOOK_MS, signal)
    }
  }

  /** What was begun since the last notes, as it is now. */
  takeNotes(): Note[] {
    return this.#begun.splice(0).map(({ file, download, outcome }) => ({
      said: outcome ?? 'A download began and still goes on. Read it with files.',
      content: `File: ${JSON.stringify(file.name)} (${download.url.slice(0, 200)})`,
    }))
  }

  /** The files of the task: those that the service has, and the downloads that it does not have yet. */
  async files(): Promise<readonly TaskFile[]> {
    const given = await this.#source.filesOf(this.#taskId)
    const known = new Set(given.map(({ id }) => id))
    const own = this.#all.filter(({ file }) => !known.has(file.id))
    return [...given, ...own.map(({ file, bytes }) => ({ ...file, size: null, read: () => bytes }))]
  }

  async #keep(file: KeptFile, { ended, read }: Download): Promise<Uint8Array<ArrayBuffer>> {
    if (!(await ended)) throw new ToolError('The browser did not finish it.')
    if (!read) throw new ToolError('This browser keeps its downloads to its user: the file cannot be read here.')
    const bytes = await read()
    if (bytes.length > FILE_BYTES_MAX) throw tooLarge(FILE_BYTES_MAX)
    await this.#source.keep(this.#taskId, file, bytes)
    return bytes
  }
}
