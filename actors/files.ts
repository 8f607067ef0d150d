import type { FileInfo, FileRecord } from '../machines/file-records.ts'
import type { SessionRecord, TaskRecord } from '../machines/records.ts'
import { EVENTS_SEARCHED } from './events/limits.ts'
import {
  DOWNLOAD_AFTER_END_MS_MAX,
  FILE_UNUSED_KEPT_MS,
  TASK_DOWNLOADS_BYTES_MAX,
  TASK_DOWNLOADS_MAX,
  WORKSPACE_FILES_BYTES_MAX,
  WORKSPACE_FILES_MAX,
} from './limits.ts'
import { isBrowserOf } from './pools.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { redactedText } from './secrets.ts'

/** A file that a start brings: its bytes, or the id of one that was uploaded or belongs to an earlier task. */
export type GivenFile =
  | { readonly name: string; readonly mediaType: string; readonly bytes: Uint8Array }
  | { readonly fileId: string; readonly name?: string | null; readonly mediaType?: string | null }

/** What is known of a file before it is kept. */
export type FileAbout = Pick<FileInfo, 'name' | 'mediaType'>

type FilesSystem = Pick<ActorSystem, 'events'> & {
  readonly ports: Pick<ActorSystem['ports'], 'store' | 'clock' | 'ids' | 'log'>
  readonly snapshotWriter: Pick<ActorSystem['snapshotWriter'], 'barrier'>
}

export interface Files {
  /** [U3] Keeps a file for tasks to come, until it was not used for FILE_UNUSED_KEPT_MS. Once for each id. */
  uploadFile(workspaceId: string, id: string, about: FileAbout, bytes: Uint8Array): Promise<FileRecord | 'files_full'>
  /**
   * [U1, U3] Keeps the files that a task is started with, under its id; what an earlier attempt to start it left is
   * replaced. A task that does not start after all has its files removed after FILE_UNUSED_KEPT_MS, or by `dropFiles`.
   */
  giveFiles(
    workspaceId: string,
    taskId: string,
    files: readonly GivenFile[],
  ): Promise<readonly FileInfo[] | 'files_full' | 'file_not_found'>
  dropFiles(files: readonly FileInfo[]): Promise<void>
  /** The files of a task, the oldest first; `null` when the workspace has no such task. */
  filesOf(workspaceId: string, taskId: string): Promise<readonly FileRecord[] | null>
  /** [U6] A file of a task; `null` when the workspace has no such task, or the task no such file. */
  file(
    workspaceId: string,
    taskId: string,
    fileId: string,
  ): Promise<{ readonly record: FileRecord; readonly bytes: Uint8Array } | null>
  /** [U4] The task that this browser may exchange files for: its own, running or just ended; else `null`. */
  taskOfBrowser(session: Pick<SessionRecord, 'id' | 'workspaceId' | 'pool'>, taskId: string): Promise<TaskRecord | null>
  /** [U11] Keeps what the model of a task has written: once for each id. */
  keepWritten(task: TaskRecord, id: string, about: FileAbout, bytes: Uint8Array): Promise<FileRecord | 'files_full'>
  /** [U5] Keeps what the browser of a task has downloaded: once for each id, with its event. */
  keepDownload(
    task: TaskRecord,
    id: string,
    about: FileAbout,
    bytes: Uint8Array,
  ): Promise<FileRecord | 'files_full' | 'file_not_found'>
}

/** [X6] Of a service that runs tasks: a page may name a download by a secret. */
export const createTaskFiles = (system: ActorSystem): Files =>
  createFiles(system, (taskId, name) => redactedText(system, taskId, name))

/** Files of tasks: kept, listed and read. `redacted`: the name of a download without the secrets of its task. */
export function createFiles(
  system: FilesSystem,
  redacted: (taskId: string, name: string) => Promise<string> = async (_, name) => name,
): Files {
  const { store, clock, ids, log } = system.ports
  /** Downloads that are being kept: the same one, sent again meanwhile, waits. */
  const keeping = new Map<string, ReturnType<Files['keepDownload']>>()

  const recordOf = (
    fields: Pick<FileRecord, 'id' | 'workspaceId' | 'taskId' | 'origin' | 'name' | 'mediaType'>,
    { length: size }: Uint8Array,
  ): FileRecord => ({ ...fields, size, createdAt: clock.now() })

  const drop = async (files: readonly FileInfo[]) => {
    if (files.length > 0) await store.files.remove(files.map(({ id }) => id))
  }

  const until = () => clock.now() + FILE_UNUSED_KEPT_MS

  async function hasRoom(workspaceId: string, bytes: number): Promise<boolean> {
    const taken = await store.files.takenBy(workspaceId)
    return taken.files < WORKSPACE_FILES_MAX && taken.bytes + bytes <= WORKSPACE_FILES_BYTES_MAX
  }

  async function ownTask(workspaceId: string, taskId: string): Promise<TaskRecord | null> {
    const task = await store.tasks.get(taskId)
    return task?.workspaceId === workspaceId ? task : null
  }

  /** What a start brings, read: one after the other, so that few are in memory at a time. */
  async function opened(workspaceId: string, given: GivenFile): Promise<(FileAbout & { bytes: Uint8Array }) | null> {
    if ('bytes' in given) return given
    const record = await store.files.get(given.fileId)
    const bytes = record?.workspaceId === workspaceId ? await store.files.read(record.id) : null
    if (!record || !bytes) return null
    if (record.taskId === null) await store.files.touch(record.id, until())
    return { name: given.name ?? record.name, mediaType: given.mediaType ?? record.mediaType, bytes }
  }

  /** Of what a task itself has brought, and of its workspace. */
  async function hasRoomOfItsOwn({ id, workspaceId }: TaskRecord, { length }: Uint8Array): Promise<boolean> {
    const own = (await store.files.ofTask(id)).filter(({ origin }) => origin !== 'given')
    const taken = own.reduce((sum, { size }) => sum + size, 0)
    const isFull = own.length >= TASK_DOWNLOADS_MAX || taken + length > TASK_DOWNLOADS_BYTES_MAX
    return !isFull && hasRoom(workspaceId, length)
  }

  async function keepDownload(task: TaskRecord, id: string, about: FileAbout, bytes: Uint8Array) {
    const { id: taskId, workspaceId } = task
    const kept = await store.files.get(id)
    if (kept && kept.taskId !== taskId) return 'file_not_found'
    if (!kept) {
      if (!(await hasRoomOfItsOwn(task, bytes))) return 'files_full'
    }
    const told = { ...about, name: await redacted(taskId, about.name) }
    const record = kept ?? recordOf({ id, workspaceId, taskId, origin: 'downloaded', ...told }, bytes)
    if (!kept) await store.files.put(record, bytes, until())
    // A process that ended between the file and its event is made up for when the browser sends the file again.
    else if (await isTold(task, id)) return record
    const { name, mediaType: media_type, size } = record
    system.events.append(taskId, { type: 'file.downloaded', at: clock.now(), file_id: id, name, media_type, size })
    await system.snapshotWriter.barrier(workspaceId)
    log.info({ taskId, workspaceId, fileId: id, bytes: size }, 'A download was kept')
    return record
  }

  async function isTold({ id: taskId, workspaceId }: TaskRecord, fileId: string): Promise<boolean> {
    await system.snapshotWriter.barrier(workspaceId)
    for (let after = 0; ; ) {
      const page = await store.events.ofTask(taskId, after, EVENTS_SEARCHED)
      if (page.some(({ event }) => event.type === 'file.downloaded' && event.file_id === fileId)) return true
      const last = page.at(-1)
      if (!last) return false
      after = last.seq
    }
  }

  return {
    async uploadFile(workspaceId, id, about, bytes) {
      if (!(await hasRoom(workspaceId, bytes.length))) return 'files_full'
      const record = recordOf({ id, workspaceId, taskId: null, origin: 'given', ...about }, bytes)
      if (await store.files.put(record, bytes, until())) return record
      return (await store.files.get(id)) ?? record
    },

    async giveFiles(workspaceId, taskId, files) {
      await drop(await store.files.ofTask(taskId))
      const given: FileRecord[] = []
      for (const each of files) {
        const file = await opened(workspaceId, each)
        if (file === null || !(await hasRoom(workspaceId, file.bytes.length))) {
          await drop(given)
          return file === null ? 'file_not_found' : 'files_full'
        }
        const { name, mediaType, bytes } = file
        const record = recordOf({ id: ids.uuid(), workspaceId, taskId, origin: 'given', name, mediaType }, bytes)
        await store.files.put(record, bytes, until())
        given.push(record)
      }
      return given.map(({ id, name, mediaType, size }) => ({ id, name, mediaType, size }))
    },

    dropFiles: drop,

    filesOf: async (workspaceId, taskId) =>
      (await ownTask(workspaceId, taskId)) ? await store.files.ofTask(taskId) : null,

    async file(workspaceId, taskId, fileId) {
      const record = (await ownTask(workspaceId, taskId)) ? await store.files.get(fileId) : null
      const bytes = record?.taskId === taskId ? await store.files.read(fileId) : null
      return record && bytes ? { record, bytes } : null
    },

    async taskOfBrowser(session, taskId) {
      const task = await ownTask(session.workspaceId, taskId)
      if (!task || !isBrowserOf(task, session)) return null
      const isOver = task.completedAt !== null && clock.now() - task.completedAt > DOWNLOAD_AFTER_END_MS_MAX
      return isOver ? null : task
    },

    async keepWritten(task, id, about, bytes) {
      const { id: taskId, workspaceId } = task
      const kept = await store.files.get(id)
      if (kept) return kept
      if (!(await hasRoomOfItsOwn(task, bytes))) return 'files_full'
      const record = recordOf({ id, workspaceId, taskId, origin: 'written', ...about }, bytes)
      await store.files.put(record, bytes, until())
      return record
    },

    keepDownload(task, id, about, bytes) {
      const underWay = keeping.get(id)
      if (underWay) return underWay
      const kept = keepDownload(task, id, about, bytes).finally(() => keeping.delete(id))
      keeping.set(id, kept)
      return kept
    },
  }
}
