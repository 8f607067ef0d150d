import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { checkTemplate } from './references.ts'

/** A script that cannot be played. The message is one line that names the file and the place in it. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
}

export interface ScriptCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}
/**
 * What the model replies in one step: calls (or words alone), or the answer that ends the task, by `finish` where the
 * task has it.
 */
export type ScriptStep = { readonly say: string; readonly calls: readonly ScriptCall[] } | { readonly answer: string }
export interface Part {
  /** Plays for tasks whose first message it matches; `null`: for every task. */
  readonly when: RegExp | null
  readonly steps: readonly ScriptStep[]
  /** What is answered when the JSON of an output alone is asked for. */
  readonly json: string | null
  /** The delay of each reply, so that people can follow. */
  readonly thinkMs: number
}

/** A string in which every `{{…}}` is one that can be played. */
const template = v.pipe(
  v.string(),
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? checkTemplate(dataset.value) : null
    if (problem) addIssue({ message: problem })
  }),
)
const inputs: v.GenericSchema<unknown> = v.lazy((value) => {
  if (typeof value === 'string') return template
  if (Array.isArray(value)) return v.array(inputs)
  return typeof value === 'object' && value !== null ? v.record(v.string(), inputs) : v.unknown()
})
const callFields = { tool: v.pipe(v.string(), v.minLength(1)), input: v.optional(v.record(v.string(), inputs), {}) }
const Call = v.strictObject(callFields)
const say = v.optional(template, '')

const CallStep = v.pipe(
  v.strictObject({ say, ...callFields }),
  v.transform(({ say, tool, input }): ScriptStep => ({ say, calls: [{ tool, input }] })),
)
const CallsStep = v.strictObject({ say, calls: v.pipe(v.array(Call), v.minLength(1)) })
const SayStep = v.pipe(
  v.strictObject({ say: template }),
  v.transform(({ say }): ScriptStep => ({ say, calls: [] })),
)
const AnswerStep = v.strictObject({ answer: template })

/** Chosen by its field, so that the complaint is about that kind of step. */
const Step: v.GenericSchema<unknown, ScriptStep> = v.lazy((value) => {
  if (typeof value !== 'object' || value === null) return AnswerStep
  if ('tool' in value) return CallStep
  if ('calls' in value) return CallsStep
  return 'say' in value ? SayStep : AnswerStep
})

const pattern = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    try {
      return new RegExp(dataset.value, 'i')
    } catch (error) {
      addIssue({ message: error instanceof Error ? error.message : 'no regular expression' })
      return NEVER
    }
  }),
)
const THINK_MS_MAX = 10_000
const PartSchema = v.strictObject({
  when: v.optional(pattern),
  think_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(THINK_MS_MAX)), 0),
  steps: v.pipe(v.array(Step), v.minLength(1)),
  json: v.optional(v.string()),
})
type PartAsWritten = v.InferInput<typeof PartSchema>
/** A script as it is written: one part, or several of which the first that matches the task is played. */
export type Script = PartAsWritten | { readonly scripts: readonly PartAsWritten[] }

/**
 * Reads a script: an object, or the path of a JSON file.
 * @throws ScriptError naming the file and the first wrong place in it.
 */
export function readScript(script: string | object): readonly Part[] {
  const source = typeof script === 'string' ? `LLM_SCRIPT ${script}` : 'The script'
  const value = typeof script === 'string' ? parseFile(script, source) : script
  const several = typeof value === 'object' && value !== null && 'scripts' in value
  const parsed = several
    ? v.safeParse(v.strictObject({ scripts: v.pipe(v.array(PartSchema), v.minLength(1)) }), value)
    : v.safeParse(v.strictObject({ scripts: v.tuple([PartSchema]) }), { scripts: [value] })
  if (parsed.success) return parsed.output.scripts.map(partOf)
  const [issue] = parsed.issues
  throw new ScriptError(`${source} is not valid: ${placeOf(issue, several)}: ${issue.message}`)
}

const partOf = ({ when, think_ms, steps, json }: v.InferOutput<typeof PartSchema>): Part => ({
  when: when ?? null,
  json: json ?? null,
  thinkMs: think_ms,
  steps,
})

function parseFile(path: string, source: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new ScriptError(`${source} cannot be read (${code})`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ScriptError(
      `${source} is not valid JSON: ${error instanceof Error ? error.message : 'it does not parse'}`,
    )
  }
}

/** `scripts[0].steps[2].input.ref`, or `steps[2].input.ref` in a script of one part. */
function placeOf(issue: v.BaseIssue<unknown>, several: boolean): string {
  const keys = (issue.path ?? []).map(({ key }) => key)
  const own = several ? keys : keys.slice(2)
  const place = own.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return place.replace(/^\./, '') || 'the whole'
}
