/** What is put into the places of a task's text: `Order {{count}} pieces of {{goods}}`. */
export type Inputs = Readonly<Record<string, InputValue>>
export type InputValue = string | number | boolean

/** The texts of a start that may have places. */
export interface Template {
  readonly task: string
  readonly url: string | null
  readonly context: string | null
}

/** `{{secret:name}}` is not one of these: it has a colon. */
const PLACE = /\{\{([a-z0-9_]{1,40})\}\}/g

/** The names of the places in a text, each once. */
export const placesIn = (text: string): string[] => [...new Set([...text.matchAll(PLACE)].map(([, name = '']) => name))]

/** The text with its inputs in their places. A place without an input stays as it is. */
export const filled = (text: string, inputs: Inputs, write: (value: InputValue) => string = String): string =>
  text.replace(PLACE, (place, name: string) => (Object.hasOwn(inputs, name) ? write(inputs[name] ?? '') : place))

/** Why these inputs do not fit these texts; `null` if they do. */
export function inputsFault({ task, url, context }: Template, inputs: Inputs): string | null {
  const places = placesIn([task, url ?? '', context ?? ''].join('\n'))
  const unfilled = places.find((name) => !Object.hasOwn(inputs, name))
  if (unfilled !== undefined) return `has no value for the place {{${unfilled}}}`
  const unused = Object.keys(inputs).find((name) => !places.includes(name))
  return unused === undefined ? null : `has ${unused}, but there is no place {{${unused}}} in task, url or context`
}

/** What the model reads: the texts with their inputs; in an address they are encoded. */
export const withInputs = ({ task, url, context }: Template, inputs: Inputs): Template => ({
  task: filled(task, inputs),
  url: url === null ? null : filled(url, inputs, (value) => encodeURIComponent(value)),
  context: context === null ? null : filled(context, inputs),
})
