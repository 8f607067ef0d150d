import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyStateMachine, AnyStateNode } from 'xstate'

/** What each state, event and guard of a machine means, in one sentence. */
export interface Sentences {
  /** By their paths: `running.askingModel.thinking`. */
  readonly states: Readonly<Record<string, string>>
  readonly events: Readonly<Record<string, string>>
  readonly guards: Readonly<Record<string, string>>
}

/**
 * The sentences of a machine, each from the one place where it is written: of a state its `description`; of an event,
 * a guard and a delay the comment above it in the files of the machine.
 */
export function sentencesOf(folder: string, name: string, machine: AnyStateMachine): Sentences {
  const files = readdirSync(folder).filter((file) => file === 'effects.ts' || isOf(file, name))
  const source = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  const { guards, delays } = machine.implementations
  const among = (names: readonly string[], pattern: (name: string) => string) =>
    names.map((each) => [each, commentBefore(source, pattern(each))] as const)
  const waits = among(Object.keys(delays), (each) => `${each}: `).map(
    ([each, text]) => [`after ${each}`, text] as const,
  )
  return {
    states: Object.fromEntries(
      within(machine.root).map(({ path, description = '' }) => [path.join('.'), oneLine(description)]),
    ),
    events: Object.fromEntries([...among(eventsOf(machine), (each) => `type: '${each}'`), ...waits]),
    guards: Object.fromEntries(among(Object.keys(guards), (each) => `${each}: (`)),
  }
}

const isOf = (file: string, name: string): boolean => file === `${name}.ts` || file.startsWith(`${name}-`)

/** All states but the machine itself and its memories of states. */
const within = (node: AnyStateNode): AnyStateNode[] =>
  Object.values(node.states)
    .filter(({ type }) => type !== 'history')
    .flatMap((state) => [state, ...within(state)])

const eventsOf = ({ events }: AnyStateMachine): string[] =>
  events.map(String).filter((event) => event !== '*' && !event.startsWith('xstate.'))

/** The comment that ends right before a name, with nothing but the beginning of its declaration in between. */
function commentBefore(source: string, declared: string): string {
  const name = declared.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const opening = String.raw`(?:export interface \w+ )?[|({\s]*(?:readonly )?`
  const found = new RegExp(String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\s*${opening}${name}`).exec(source)
  return oneLine(found?.[1]?.replaceAll(/^[ \t]*\* ?/gm, '') ?? '')
}

/** Without line breaks, and without the numbers of rules. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^(\[[^\]]+\] ?)+/, '')
