import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { RunningService } from '../main.ts'
import { bold } from './terminal.ts'

/**
 * [Q1, Q8] The first key: shown once outside production. In production, where output goes to logs that many may read, it
 * is put into a file that only this user may read.
 */
export function firstKeyLines({ firstKey }: RunningService, { production, dataDir }: Config): string[] | null {
  if (firstKey === null) return null
  if (!production) {
    return ['  The first secret key of workspace "default". It is shown only once:', `  ${bold(firstKey)}`]
  }
  const file = resolve(dataDir, 'first-key')
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(file, `${firstKey}\n`, { mode: 0o600 })
  return ['  The first secret key of workspace "default" is in this file. Move it to a safe place:', `  ${file}`]
}
