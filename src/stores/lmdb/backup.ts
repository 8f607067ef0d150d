import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, mkdtemp, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { DATA_VERSIONS_SETTING, DataVersionsSchema, refuseNewer } from '../data-versions.ts'
import { reasonOf } from '../errors.ts'
import { sync } from './database.ts'
import { canBeRead, FILES, hasStore, hideFolder, makeFolder } from './folder.ts'
import { lockFolder } from './folder-lock.ts'
import { openRoot, Table } from './table.ts'

const MANIFEST = 'backup.json'

const Manifest = v.object({
  format: v.literal(1),
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  dataVersions: DataVersionsSchema,
  files: v.array(v.object({ name: v.picklist(Object.values(FILES)), bytes: v.number(), sha256: v.string() })),
})

/** What a backup says about itself, in `backup.json`. */
export type BackupManifest = v.InferOutput<typeof Manifest>

/**
 * [O1] Copies the embedded store into a new folder, also while a service uses it: each file as of one moment, without
 * what is not in use any more. Every write that was acknowledged before is in it. The folder appears when it is complete
 * and has been read back.
 * @throws Error in one line
 */
export async function backUp(dataDir: string, target: string, now: Date): Promise<BackupManifest> {
  if (!hasStore(dataDir)) throw new Error(`There is no store in ${dataDir}: set DATA_DIR to the folder of the service`)
  if (existsSync(target)) throw new Error(`${target} exists already: name a new folder`)
  const unfinished = await mkdtemp(`${resolve(target)}.`).catch((error) => {
    throw new Error(`${target} cannot be written: ${reasonOf(error)}`, { cause: error })
  })
  try {
    const names = Object.values(FILES)
    // Records name screenshots that were written before them: in this order, no record names one that is missing.
    for (const name of names) {
      const copy = join(unfinished, name)
      await copyTables(join(dataDir, name), copy)
      if (!canBeRead(copy)) throw new Error(`The copy of ${name} cannot be read`)
    }
    const dataVersions = await versionsIn(join(unfinished, FILES.store))
    for (const name of names) await rm(join(unfinished, `${name}-lock`), { force: true })
    const files = await Promise.all(names.map(async (name) => ({ name, ...(await digestOf(join(unfinished, name))) })))
    const manifest: BackupManifest = {
      format: 1,
      createdAt: now.toISOString(),
      dataVersions,
      files,
    }
    writeFileSync(join(unfinished, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
    for (const name of [...names, MANIFEST, '']) sync(join(unfinished, name))
    await rename(unfinished, target)
    sync(join(resolve(target), '..'))
    return manifest
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}

/**
 * [O2] Puts a backup into a data folder that has no store, after checking that it is complete and unchanged.
 * @throws Error in one line; the data folder is then as it was
 */
export async function restore(source: string, dataDir: string): Promise<BackupManifest> {
  const manifest = manifestOf(source)
  refuseNewer(`Backup ${source}`, manifest.dataVersions)
  for (const { name, ...expected } of manifest.files) {
    const found = await digestOf(join(source, name)).catch(() => null)
    if (found?.sha256 !== expected.sha256)
      throw new Error(`Backup ${source} is damaged: ${name} is not what was backed up`)
  }
  makeFolder(dataDir)
  const lock = lockFolder(dataDir, { address: 'no address, because it restores a backup' })
  try {
    if (hasStore(dataDir)) throw new Error(`Data folder ${dataDir} has a store already: move it away, or set DATA_DIR`)
    // The file by which a store is recognised comes last, so that an interrupted restore can be repeated.
    for (const name of Object.values(FILES).reverse()) {
      const partial = join(dataDir, `${name}.partial`)
      await copyFile(join(source, name), partial)
      await chmod(partial, 0o600)
      sync(partial)
      await rename(partial, join(dataDir, name))
    }
    hideFolder(dataDir)
    sync(dataDir)
    return manifest
  } finally {
    lock.release()
  }
}

function manifestOf(source: string): BackupManifest {
  try {
    return v.parse(Manifest, JSON.parse(readFileSync(join(source, MANIFEST), 'utf8')))
  } catch (error) {
    throw new Error(
      `${source} is not a backup: ${MANIFEST} ${existsSync(source) ? 'is missing or invalid' : 'is missing'}`,
      {
        cause: error,
      },
    )
  }
}

async function copyTables(from: string, to: string): Promise<void> {
  const root = openRoot(from)
  try {
    await root.backup(to, true)
    await chmod(to, 0o600)
  } finally {
    await root.close()
  }
}

/** What wrote the tables of a store file; nothing for one from before this was kept. */
async function versionsIn(path: string): Promise<BackupManifest['dataVersions']> {
  const root = openRoot(path)
  try {
    const json = new Table<string>(root, 'settings', 'json').get(DATA_VERSIONS_SETTING)
    return v.parse(DataVersionsSchema, JSON.parse(json ?? '{}'))
  } finally {
    await root.close()
  }
}

async function digestOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path)) {
    bytes += chunk.length
    hash.update(chunk)
  }
  return { bytes, sha256: hash.digest('hex') }
}
