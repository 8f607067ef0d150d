import { type Ended, type Outcome, tally } from './tally.ts'

/** Before what a file of a group prints, with the file; and after it, with its exit code and how long it took in ms. */
const BEGINS = '== begins '
const ENDS = '== ends '

export const begins = (file: string): string => `\n${BEGINS}${file}\n`
export const ends = (exitCode: number, ms: number): string => `\n${ENDS}${exitCode} ${Math.round(ms)}\n`

/** Folders whose files start nothing and share a process: most of the time of such a file is the start of a process. */
const FOLDERS = /^(machines|actors|config|schedule|webhooks|billing|models|http\/routes|http(?=\/[\w-]+\.test))\//
/** Of so many files: a failure in one is not far from the next, and no group is left alone at the end. */
const FILES_MAX = 8

/** Files as they are run: those that share a process together, in the order in which they were, and each other one alone. */
export function groupsOf(files: readonly string[], nameOf: (file: string) => string): string[][] {
  const groups: string[][] = []
  const open = new Map<string, string[]>()
  for (const file of files) {
    const folder = FOLDERS.exec(nameOf(file))?.[1]
    const group = folder === undefined ? undefined : open.get(folder)
    if (group !== undefined && group.length < FILES_MAX) group.push(file)
    else {
      groups.push([file])
      if (folder !== undefined) open.set(folder, groups.at(-1) ?? [])
    }
  }
  return groups
}

/**
 * What each file of a group came to. `null`: the process did not end well, so what happened cannot be told of one
 * file; each is to be run alone.
 */
export function outcomesOf(files: readonly string[], ended: Ended): Map<string, Outcome> | null {
  if (ended.exitCode !== 0 || ended.timedOut) return null
  const outcomes = new Map<string, Outcome>()
  for (const part of ended.output.split(`\n${BEGINS}`).slice(1)) {
    const [, file = '', output = '', exitCode, ms] = /^(.*)\n([\s\S]*)\n== ends (\d+) (\d+)\n/.exec(part) ?? []
    outcomes.set(file, tally({ output, exitCode: Number(exitCode), timedOut: false, ms: Number(ms) }))
  }
  return files.every((file) => outcomes.has(file)) ? outcomes : null
}
