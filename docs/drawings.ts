import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AnyStateMachine } from 'xstate'
import { type Sentences, sentencesOf } from './sentences.ts'

/** A machine with the words that stand above it in the code. */
export interface Documented {
  readonly name: string
  readonly text: string
  readonly machine: AnyStateMachine
  readonly sentences: Sentences
}

/** Every `<name>Machine` that a file of the folder exports, by name. */
export async function machinesOf(folder: string): Promise<Documented[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
  const found = files.sort().map(async (file) => {
    const path = join(folder, file)
    const exported: Record<string, unknown> = await import(pathToFileURL(resolve(path)).href)
    const source = readFileSync(path, 'utf8')
    return Object.entries(exported)
      .filter(([name]) => /^\w+Machine$/.test(name))
      .map(([exportName, exported]) => {
        const name = exportName.replace(/Machine$/, '')
        const machine = exported as AnyStateMachine
        return { name, text: commentAbove(source, exportName), machine, sentences: sentencesOf(folder, name, machine) }
      })
  })
  return (await Promise.all(found)).flat()
}

/** The doc comment of an exported constant, without its stars. */
export function commentAbove(source: string, name: string): string {
  const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export const ${name}\\b`).exec(source)?.[1] ?? ''
  return comment.replaceAll(/^[ \t]*\* ?/gm, '').trim()
}

/** The page of all machines: of each the words above it in the code, and the statechart that the inspector shows, too. */
export async function machinesPage(folder: string): Promise<string> {
  const machines = await machinesOf(folder)
  return [
    '# The machines',
    'Drawn from the code by `npm run docs`. `/docs/machines` of a running service says what each state, event and guard means.',
    ...machines.flatMap(({ name, text }) => [
      `## ${name}`,
      text,
      `![The machine ${name}](../../src/observe/inspector/drawings/${name}.svg)`,
    ]),
    '',
  ].join('\n\n')
}

/** Without the numbers of rules. */
export const firstSentence = (text: string) =>
  text
    .replace(/^(\[[^\]]+\] ?)+/, '')
    .replaceAll('\n', ' ')
    .replace(/^(.+?[.:])(\s.*)?$/, '$1')
    .replace(/:$/, '.')
