import type { InputValue } from './placeholders.ts'
import type { OutputPlaces } from './recipe-answer.ts'
import type { Ms } from './records.ts'

/** [J2] Announced by a browser, beside its tools, if it reports what it acts on, and finds it again. */
export const TELLS_TARGETS = 'targets'

/**
 * [J2] What an act is done to, in words that hold when the page is drawn anew: browsers tell it, and find it again.
 * Service, headless browser and extension share this file.
 */
export interface Target {
  readonly role: string
  /** Its accessible name. */
  readonly name: string
  /** The text of its label, where that is not its name. */
  readonly label?: string
  /** The last heading before it. */
  readonly heading?: string
  /** The landmark that it is in: `form "Sign in"`. */
  readonly landmark?: string
  /** The row, and the list item or card, that it is in. */
  readonly row?: string
  readonly item?: string
  /** The title or address of the frame that it is in. */
  readonly frame?: string
  /** Of a field. */
  readonly type?: string
  /** Its `name`, `id` and test id. */
  readonly attribute?: string
  readonly id?: string
  readonly testId?: string
  /** Of a link: its address without origin, query values and ids. */
  readonly href?: string
  /** How many elements of this role and name there were. */
  readonly alike: number
  /** It is in a banner or dialog that covers the page and has nothing to do with the task. */
  readonly overlay?: true
  /** When it is looked for: values of inputs that must stand, as they are written, in its name, and in its row or item. */
  readonly says?: { readonly name: readonly string[]; readonly place: readonly string[] }
}

/** Roles of fields that offer what can be chosen: a value of theirs is one of a few. */
export const CHOICES: readonly string[] = ['combobox', 'listbox', 'radio']

/** [J8] What an act that cannot be undone showed at its moment. */
export interface Terms {
  /** Where the form goes: method and address without query. */
  readonly form: string | null
  readonly fields: readonly { readonly name: string; readonly value: string; readonly hidden?: true }[]
  /** Every line of the page that has a number. */
  readonly lines: readonly string[]
}

/** What a browser of protocol 2 reports of an act, beside its result. */
export interface ActReport {
  readonly target?: Target
  /** Of a drag: where it ended. */
  readonly toTarget?: Target
  /** Of an act that is named like one that cannot be undone. */
  readonly terms?: Terms
  /** What was expected after the act and did not come. */
  readonly missed?: string
  /** Why the act was not done: what the browser found in the place of its target or its terms. */
  readonly refused?: string
}

/** What is expected after an act. Numbers, ids and the values of inputs are `*`. */
export interface Expectation {
  readonly url: string | null
  /** At least one of these lines is on the page: role and name. */
  readonly lines: readonly string[]
}

/** What a browser has to heed in an act: empty, it only reports what it acts on. */
export interface Guard {
  /** How long the target, and what is expected, are waited for. */
  readonly waitMs?: Ms
  readonly expect?: Expectation
  readonly terms?: ExpectedTerms
  /** Nothing is done, and nothing is wrong, when the target is not there. */
  readonly optional?: true
}

/** The terms of the first time, with places, and what is in them before and now. */
export interface ExpectedTerms {
  readonly terms: Terms
  readonly before: Values
  readonly now: Values
  /** Inputs that choose what is acted on, such as the goods. What is only typed, such as a name, explains no other price. */
  readonly choosing: readonly string[]
}
/** Values of inputs by their names. */
export type Values = Readonly<Record<string, InputValue>>

/** One act of a recipe. Texts have places for the inputs of the task. */
export interface RecipeStep {
  readonly tool: string
  /** Without what names an element. */
  readonly input: Readonly<Record<string, unknown>>
  readonly target?: Target
  readonly toTarget?: Target
  /** [J4] Words that are typed, are neither in the task nor an input's, and had been read on a page. */
  readonly copied?: readonly string[]
  /** Acts of the same number were asked for together. */
  readonly group: number
  readonly expect?: Expectation
  readonly terms?: Terms
  readonly optional?: true
  /** It reads the page for the answer. */
  readonly reads?: true
}

/** What a recipe does, by its version. */
export interface RecipeVersion {
  readonly version: number
  /** The task that it was made of. */
  readonly taskId: string
  readonly madeAt: Ms
  readonly steps: readonly RecipeStep[]
  /** The inputs of that task. */
  readonly inputs: Values
  /** Inputs that no act depends on. */
  readonly unused: readonly string[]
  /** False: from its end on the model works. */
  readonly isWhole: boolean
  /** [J15] Where the output is read; `null`: a model makes it. */
  readonly output?: OutputPlaces | null
  /** What the task took then. */
  readonly modelCalls: number
  readonly tokens: number
  readonly costUsd: number
}

/** [J5] A recipe: of one workspace and one template. */
export interface RecipeRecord {
  readonly id: string
  readonly workspaceId: string
  /** Of task, url and context with their places, the output's schema and the allowed domains. */
  readonly templateHash: string
  readonly task: string
  readonly url: string | null
  readonly createdAt: Ms
  readonly updatedAt: Ms
  readonly disabled: boolean
  /** [J10] It deviated twice at the same step without a success: it is not played any more. */
  readonly stale: boolean
  readonly current: RecipeVersion
  /** [J10] Made by a task that went on where the recipe did not: it replaces `current` once it has played to its end. */
  readonly trial: RecipeVersion | null
  readonly runs: RecipeRuns
  /** By step, from 1: how often it deviated there since it last played to its end. */
  readonly deviations: Readonly<Record<string, number>>
  /** The last tasks that are counted in `runs`. */
  readonly counted: readonly string[]
}
export interface RecipeRuns {
  /** To the end. */
  readonly played: number
  readonly deviated: number
  readonly modelCallsSaved: number
  readonly costUsdSaved: number
}

export const RECIPE_MODES = ['off', 'auto', 'only', 'new'] as const
export type RecipeMode = (typeof RECIPE_MODES)[number]

/** How a task uses a recipe. */
export interface RecipeUse {
  readonly mode: Exclude<RecipeMode, 'off'>
  readonly templateHash: string
  /** What it plays. */
  readonly plays: { readonly id: string; readonly version: number } | null
}

/** What a task says of its recipe: how many of its steps were played, and how often the model was asked. */
export interface RecipeRun {
  readonly id: string
  readonly version: number
  readonly played: number
  readonly asked: number
  readonly deviation?: Deviation
}

/** Where a recipe and the page differed: the step, from 1. */
export interface Deviation {
  readonly step: number
  readonly expected: string
  readonly found: string
}
