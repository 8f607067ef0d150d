import { readConfig } from '../config/config.ts'
import { type BackupManifest, backUp, restore } from '../stores/lmdb/backup.ts'
import { noteByOperator } from './audit.ts'
import { Failed } from './exit-codes.ts'
import { withStore } from './store.ts'
import { pairs, say } from './terminal.ts'
import { type Counts, exportWorkspace, importWorkspace } from './workspace-file.ts'

/** [O1] Backs up the embedded store that the environment names. */
export async function backupCommand(folder: string, options: { json?: boolean }): Promise<void> {
  const manifest = await backUp(embeddedFolder(), folder, new Date())
  await withStore((store) => noteByOperator(store, { workspaceId: null, action: 'createBackup' }))
  report(manifest, options)
}

/** [O2] Restores a backup into the data folder that the environment names. */
export async function restoreCommand(folder: string, options: { json?: boolean }): Promise<void> {
  const manifest = await restore(folder, embeddedFolder())
  const details = { created: manifest.createdAt }
  await withStore((store) => noteByOperator(store, { workspaceId: null, action: 'restoreBackup', details }))
  report(manifest, options)
}

/** [O6] */
export const exportCommand = async (workspace: string, file: string): Promise<void> =>
  sayCounts(
    await withStore(async (store) => {
      const counts = await exportWorkspace(store, workspace, file)
      await noteByOperator(store, { workspaceId: counts.workspaceId, action: 'exportWorkspace' })
      return counts
    }),
  )

/** [O6] */
export const importCommand = async (file: string): Promise<void> =>
  sayCounts(
    await withStore(async (store) => {
      const counts = await importWorkspace(store, file)
      await noteByOperator(store, { workspaceId: counts.workspaceId, action: 'importWorkspace' })
      return counts
    }),
  )

function sayCounts({ tasks, keys, sessions, skipped }: Counts): void {
  const running = skipped === 0 ? '' : `; ${skipped} running, which were left out`
  say(`${tasks} tasks, ${keys} keys, ${sessions} browsers${running}`)
}

function embeddedFolder(): string {
  const { mongodbUrl, dataDir } = readConfig(process.env)
  if (mongodbUrl !== null)
    throw new Failed('MONGODB_URL is set: back up MongoDB with its own tools, such as mongodump (docs/operations.md)')
  return dataDir
}

function report(manifest: BackupManifest, { json = false }: { json?: boolean }): void {
  if (json) say(JSON.stringify(manifest))
  else
    say(
      pairs([
        ['created', manifest.createdAt],
        ...manifest.files.map(({ name, bytes }) => [name, `${bytes} bytes`] as const),
      ]),
    )
}
