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
 * [O3] Refuses data of a newer version. [M11] Of rows, a node among several refuses none: it does not take the shards whose
 * rows it cannot read.
 */
export async function checkDataVersions(port: DataVersionsPort, where: string, isNode: boolean): Promise<void> {
  const { tables = 0, ...rows } = await writtenVersions(port)
  refuseNewer(where, { tables, ...(isNode ? {} : rows) })
}

/** [O3] Older services refuse the data from now on: called before what they could not read is written. */
export async function noteDataVersions(port: DataVersionsPort): Promise<void> {
  const written = await writtenVersions(port)
  const newer = Object.entries(DATA_VERSIONS).filter(([name, version]) => version > (written[name] ?? 0))
  if (newer.length > 0) await port.write(JSON.stringify({ ...written, ...Object.fromEntries(newer) }))
}

async function writtenVersions(port: DataVersionsPort): Promise<DataVersions> {
  const json = await port.read()
  return json === null ? {} : v.parse(DataVersionsSchema, JSON.parse(json))
}
