import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { arrowsOf, entriesOf, invokesOf, mermaid, within } from './mermaid.ts'

/** A machine with the words that stand above it in the code. */
export interface Documented {
  readonly name: string
  readonly text: string
  readonly machine: AnyStateMachine
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
      .map(([name, machine]) => ({
        name: name.replace(/Machine$/, ''),
        text: commentAbove(source, name),
        machine: machine as AnyStateMachine,
      }))
  })
  return (await Promise.all(found)).flat()
}

/** The doc comment of an exported constant, without its stars. */
export function commentAbove(source: string, name: string): string {
  const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export const ${name}\\b`).exec(source)?.[1] ?? ''
  return comment.replaceAll(/^[ \t]*\* ?/gm, '').trim()
}

const cell = (text: string) => text.replaceAll('|', '\\|')
const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`
const table = (heads: string[], rows: string[]) => [row(...heads), row(...heads.map(() => '---')), ...rows].join('\n')
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
const nameOf = (node: AnyStateNode) => (node.path.length > 0 ? node.path.join('.') : 'in any state')

/** The page of one machine: its words, its drawing, its states and its transitions as tables. */
export function page({ name, text, machine }: Documented): string {
  const nodes = within(machine.root)
  const states = nodes
    .filter(({ path }) => path.length > 0)
    .map((node) => row(nameOf(node), node.type, code(invokesOf(node)), code(entriesOf(node)), code(node.tags)))
  const arrows = nodes
    .flatMap(arrowsOf)
    .map(({ from, to, on, guard, actions }) =>
      row(
        nameOf(from),
        `\`${on}\``,
        code(guard === '' ? [] : [guard]),
        to.map(nameOf).join(', ') || '–',
        code(actions),
      ),
    )
  return [
    `# ${name}`,
    text,
    `Drawn from [machines/${name}.ts](../../machines/${name}.ts) by \`npm run docs\`; not to be edited.`,
    ['```mermaid', mermaid(machine), '```'].join('\n'),
    table(['state', 'kind', 'invokes', 'on entry', 'tags'], states),
    table(['in', 'on', 'if', 'goes to', 'and does'], arrows),
    '',
  ].join('\n\n')
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

const firstSentence = (text: string) =>
  text
    .replaceAll('\n', ' ')
    .replace(/^(.+?[.:])(\s.*)?$/, '$1')
    .replace(/:$/, '.')
