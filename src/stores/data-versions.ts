import * as v from 'valibot'
import { ROW_VERSIONS } from '../../actors/runtime/row-versions.ts'

/** The layout of the tables. Raise it when the version before could not read what this one writes. */
const TABLES_VERSION = 3

/** What a store's data was written by: the layout of its tables, and the version of each kind of actor row. */
export type DataVersions = Readonly<Record<string, number>>
export const DATA_VERSIONS = { tables: TABLES_VERSION, ...ROW_VERSIONS } satisfies DataVersions

export const DataVersionsSchema = v.record(v.string(), v.number())

/** The name of the setting that holds them. */
export const DATA_VERSIONS_SETTING = 'dataVersions'

/** Where a store keeps them, as JSON. */
export interface DataVersionsPort {
  /** `null`: the store is new, or is from before they were kept. */
  read(): Promise<string | null>
  write(json: string): Promise<void>
}

/**
 * [O3] @throws Error in one line when data was written by a newer version of the service, which this one would misread
 * @param where the data as the line names it: `Data folder ./data`
 */
export function refuseNewer(where: string, written: DataVersions, known: DataVersions = DATA_VERSIONS): void {
  const newer = Object.entries(written).filter(([name, version]) => version > (known[name] ?? 0))
  if (newer.length === 0) return
  const list = newer
    .map(([name, version]) => `${name} ${version}, this version reads ${known[name] ?? 'none'}`)
    .join('; ')
  throw new Error(
    `${where} was written by a newer version of the service (${list}). Start that version, or restore a backup from before the upgrade`,
  )
}

/**
 * [O3] Refuses data of a newer version; the owner of the store notes its own versions, so that older services refuse the
 * data from then on.
 */
export async function checkDataVersions(port: DataVersionsPort, where: string, isOwner: boolean): Promise<void> {
  const json = await port.read()
  const written = json === null ? {} : v.parse(DataVersionsSchema, JSON.parse(json))
  refuseNewer(where, written)
  const now = JSON.stringify(DATA_VERSIONS)
  if (isOwner && json !== now) await port.write(now)
}
