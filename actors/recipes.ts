import { type Deviation, type RecipeRecord, type RecipeVersion, TELLS_TARGETS } from '../machines/recipe.ts'
import { readOutput } from '../machines/recipe-answer.ts'
import { readingsIn } from '../machines/recipe-of.ts'
import { callOf, type NextPlay, nextPlay, stepWords } from '../machines/recipe-play.ts'
import { type JournalCall, type JournalEntry, NO_USAGE } from '../machines/records.ts'
import type { AskParams } from '../machines/task-types.ts'
import { ANSWERS } from '../machines/texts.ts'
import type { Conversation } from './conversation/conversation.ts'
import { groundingOf } from './conversation/grounding.ts'
import { pageContentIn } from './conversation/page-content.ts'
import { refusalOf } from './conversation/reply-checks.ts'
import type { ActorSystem } from './runtime/actor-system.ts'

/** What stands as the model of replies that are a recipe's. */
export const RECIPE_MODEL = 'recipe'

/** A reply that no model has made. */
export type Said = Omit<Extract<JournalEntry, { kind: 'reply' }>, 'kind' | 'step' | 'at'>

/** What a recipe has for the next reply of its task. */
export type Played =
  | { readonly kind: 'reply'; readonly said: Said }
  /** All of it was played: the answer is made of what it has read. */
  | { readonly kind: 'answer' }
  /** The model works. */
  | { readonly kind: 'model' }
  /** No model may be asked. */
  | { readonly kind: 'stopped'; readonly deviation: Deviation }

const versions = new WeakMap<Conversation, Promise<RecipeVersion | null>>()

/** The version that a task plays; `null`: none, or it is not kept any more. */
function versionOf(system: ActorSystem, conversation: Conversation): Promise<RecipeVersion | null> {
  const { plays = null } = conversation.recipe ?? {}
  if (plays === null) return Promise.resolve(null)
  const known = versions.get(conversation)
  if (known) return known
  const read = system.ports.store.recipes.get(plays.id).then((record) => record && withNumber(record, plays.version))
  versions.set(conversation, read)
  read.catch(() => versions.delete(conversation))
  return read
}

const withNumber = ({ current, trial }: RecipeRecord, version: number): RecipeVersion | null =>
  [current, trial].find((each) => each?.version === version) ?? null

/** What is left of a task before its last reply, and its browser. */
export type PlayAsk = Pick<AskParams, 'taskId' | 'step' | 'left'> & { readonly announced: readonly string[] | null }

/**
 * [J6] Stands where the model stands: the next reply of a task that plays a recipe. Its position is in the log alone. A
 * deviation goes into the log before the model is asked.
 */
export async function play(system: ActorSystem, conversation: Conversation, asked: PlayAsk): Promise<Played> {
  const use = conversation.recipe
  if (!use?.plays) return MODEL
  const version = await versionOf(system, conversation)
  const next =
    version === null ? GONE : within(nextPlay(version, conversation.entries, conversation.inputs), version, asked)
  if (next.kind === 'acts' && version)
    return { kind: 'reply', said: replyOf(system, conversation, version, next, asked) }
  if (next.kind === 'played' && version) {
    const input = await answerOf(system, conversation, version, asked)
    if (input) return { kind: 'reply', said: finishOf(system, input, asked) }
    return use.mode === 'only' ? { kind: 'stopped', deviation: outputMissing(version) } : { kind: 'answer' }
  }
  if (next.kind !== 'deviated') return use.mode === 'only' ? { kind: 'stopped', deviation: ENDS } : MODEL
  const { deviation } = next
  const at = system.ports.clock.now()
  if (!conversation.entries.some(({ kind }) => kind === 'deviation')) {
    const { step: recipe_step, expected, found } = deviation
    conversation.addDeviation({ kind: 'deviation', at, ...deviation })
    system.events.append(asked.taskId, { type: 'recipe.deviated', at, recipe_step, expected, found })
  }
  return use.mode === 'only' ? { kind: 'stopped', deviation } : MODEL
}

const MODEL = { kind: 'model' } as const
const GONE: NextPlay = {
  kind: 'deviated',
  deviation: { step: 1, expected: 'the recipe as it was at the start', found: 'another version of it, or none' },
}
const ENDS: Deviation = { step: 1, expected: 'a recipe for all of the task', found: 'one that ends before' }

/** A browser that knows no targets plays nothing, and the last reply of a task is its model's. */
function within(next: NextPlay, version: RecipeVersion, { announced, left }: PlayAsk): NextPlay {
  if (next.kind !== 'acts') return next
  const found = !announced?.includes(TELLS_TARGETS)
    ? 'a browser that cannot play recipes'
    : left.lastStep || left.lastMinute
      ? 'the last step of the task'
      : null
  if (found === null) return next
  const step = version.steps[next.from]
  return { kind: 'deviated', deviation: { step: next.from + 1, expected: step ? stepWords(step, null) : '', found } }
}

type Answer = { readonly success: true; readonly answer: string; readonly output?: unknown }

/** [J15] The answer where no model is needed for it; [J11] with `only` that of a task without a schema is what was read last. */
async function answerOf(
  { ports: { tools } }: ActorSystem,
  { recipe, outputSchema, entries, inputs }: Conversation,
  { steps, output: places }: RecipeVersion,
  { taskId }: PlayAsk,
): Promise<Answer | null> {
  if (outputSchema === null) {
    const last = entries.findLast((entry) => entry.kind === 'result')
    const read = last?.kind === 'result' ? pageContentIn(last.text).slice(0, ANSWER_CHARS_MAX) : ''
    return recipe?.mode === 'only' ? { success: true, answer: ANSWERS.recipePlayed(read) } : null
  }
  const read = places ? readOutput(places, readingsIn(steps, entries), inputs) : null
  if (read === null || groundingOf(read.output, entries).ungrounded.length > 0) return null
  if ((await tools.misfit(taskId, outputSchema, read.output)) !== null) return null
  return { success: true, answer: JSON.stringify(read.output, null, 2).slice(0, ANSWER_CHARS_MAX), output: read.output }
}
const ANSWER_CHARS_MAX = 4_000

const outputMissing = ({ steps }: RecipeVersion): Deviation => ({
  step: steps.length,
  expected: 'the values of the output where they were the first time',
  found: 'not all of them',
})

/** It is not played: with it the task ends. */
function finishOf({ ports: { ids } }: ActorSystem, input: Answer, { announced }: PlayAsk): Said {
  const call = { requestId: ids.uuid(), tool: 'finish', input: { ...input }, refusal: null }
  return { text: '', usage: NO_USAGE, model: RECIPE_MODEL, hasFinish: true, announced, calls: [call] }
}

function replyOf(
  { ports: { ids } }: ActorSystem,
  conversation: Conversation,
  version: RecipeVersion,
  { from, steps }: Extract<NextPlay, { kind: 'acts' }>,
  { announced }: PlayAsk,
): Said {
  const calls = steps.map((step): JournalCall => {
    const { input, guard } = callOf(step, version, conversation.inputs)
    const refusal = refusalOf(step.tool, input, conversation)
    return { requestId: ids.uuid(), tool: step.tool, input, refusal, guard }
  })
  const text = steps.map((step, at) => `${from + at + 1}. ${stepWords(step, conversation.inputs)}`).join('\n')
  return {
    text,
    usage: NO_USAGE,
    model: RECIPE_MODEL,
    hasFinish: true,
    announced,
    played: { from, of: version.steps.length },
    calls,
  }
}
