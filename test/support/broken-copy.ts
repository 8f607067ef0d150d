import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The text `from`, which the file has exactly once, becomes `to`. */
export interface Change {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** A copy of these parts of the tree, in a folder of its own. The packages are those of the tree. */
export function copyOfTree(paths: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'))
  for (const path of paths) cpSync(path, join(folder, path), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Breaks a copy; what it returns mends it again. */
export function breakCopy(folder: string, { file, from, to }: Change): () => void {
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  if (source.split(from).length !== 2) throw new Error(`${file} does not have this exactly once: ${from}`)
  writeFileSync(
    path,
    source.replace(from, () => to),
  )
  return () => writeFileSync(path, source)
}
