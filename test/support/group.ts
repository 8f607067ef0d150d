import { type Ended, type Outcome, tally } from './tally.ts'

/** Before what a file of a group prints, with the file; and after it, with its exit code and how long it took in ms. */
const BEGINS = '== begins '
const ENDS = '== ends '

export const begins = (file: string): string => `\n${BEGINS}${file}\n`
export const ends = (exitCode: number, ms: number): string => `\n${ENDS}${exitCode} ${Math.round(ms)}\n`

/**
 * Folders whose files share a process, and how many of them do: most of the time of a file that starts nothing is the
 * start of its process, files in a browser share the browser, and those of the clients their installation. A failure is not far from the next one then, and no
 * group is left alone at the end.
 */
const FOLDERS: readonly (readonly [RegExp, files: number])[] = [
  ...['machines', 'actors', 'config', 'schedule', 'webhooks', 'api/billing', 'models', 'api/routes', 'api'].map(
    (folder) => [new RegExp(`^${folder}/[\\w-]+\\.test`), 8] as const,
  ),
  [/^(clients\/(python|typescript)|docs\/(clients|programs|reference|webhooks))\.test/, 6],
  // What these two start reads settings of its process.
  [/^identity\/(?!configured|oidc-lies)[\w-]+\.test/, 6],
  [/^relay\/(?!anything)[\w-]+\.test/, 9],
  [/^web\//, 6],
  [/^observe\/inspector\/(live|replay|axe)\.test/, 3],
  [/^extension\/(confined|control|inputs|secrets|tabs|tasks)\.test/, 6],
  [/^browser\/(acting|captures|dialogs|drags|effects|media)\.test/, 6],
  [/^browser\/(forms|navigating|reading|secrets|seeing|unread|uploads)\.test/, 7],
]

/** Files as they are run: those that share a process together, in the order in which they were, and each other one alone. */
export function groupsOf(files: readonly string[], nameOf: (file: string) => string): string[][] {
  const groups: string[][] = []
  const last = new Map<RegExp, string[]>()
  for (const file of files) {
    const [folder, size = 1] = FOLDERS.find(([folder]) => folder.test(nameOf(file))) ?? []
    const open = folder && last.get(folder)
    if (open && open.length < size) open.push(file)
    else {
      const group = [file]
      groups.push(group)
      if (folder) last.set(folder, group)
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
