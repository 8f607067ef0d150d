import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AnyStateMachine } from 'xstate'
import { mermaid } from './mermaid.ts'
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

/** The page of one machine: its words, its drawing, which says what each state does, and what events and guards mean. */
export function page({ name, text, machine, sentences: { events, guards } }: Documented): string {
  return [
    `# ${name}`,
    text,
    `Drawn from [machines/${name}.ts](../../machines/${name}.ts) by \`npm run docs\`; not to be edited.`,
    ['```mermaid', mermaid(machine), '```'].join('\n'),
    ...listOf('Events', events),
    ...listOf('Guards', guards),
    '',
  ].join('\n\n')
}

const listOf = (title: string, sentences: Readonly<Record<string, string>>): string[] => {
  const items = Object.entries(sentences).map(([name, sentence]) => `- \`${name}\`: ${sentence}`)
  return items.length === 0 ? [] : [`## ${title}`, items.join('\n')]
}

/** All drawings of a folder of machines: file name → text, the index included. */
export async function drawings(folder: string): Promise<ReadonlyMap<string, string>> {
  const machines = await machinesOf(folder)
  const index = [
    '# The machines',
    'One page for each process, drawn from its code by `npm run docs`; a test fails when one is stale.',
    machines.map(({ name, text }) => `- [${name}](${name}.md): ${firstSentence(text)}`).join('\n'),
    '',
  ].join('\n\n')
  return new Map([...machines.map((each) => [`${each.name}.md`, page(each)] as const), ['README.md', index]])
}

/** Without the numbers of rules. */
export const firstSentence = (text: string) =>
  text
    .replace(/^(\[[^\]]+\] ?)+/, '')
    .replaceAll('\n', ' ')
    .replace(/^(.+?[.:])(\s.*)?$/, '$1')
    .replace(/:$/, '.')
