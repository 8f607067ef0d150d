import { journalOf } from '../machines/journal.ts'
import type { RecipeRecord, RecipeRun, RecipeUse } from '../machines/recipe.ts'
import { recipeOf } from '../machines/recipe-of.ts'
import { playedIn } from '../machines/recipe-play.ts'
import { afterRun, type EndedRun } from '../machines/recipe-record.ts'
import type { Ending, TaskRecord } from '../machines/records.ts'
import type { NewLogEvent } from '../machines/task-log.ts'
import { uuidAt } from '../machines/uuid.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { messageOf } from './runtime/effects.ts'

/** What the ending of a task says of its recipe. */
export interface RecipeEnd {
  readonly run: RecipeRun | null
  /** Told before the ending. */
  readonly made: NewLogEvent | null
}

const NOTHING: RecipeEnd = { run: null, made: null }

/**
 * [J5, J10] Makes a recipe of a task that ended with success, or counts how one was played: once, however often the ending is
 * written. Never rejects: a task ends as it does, whatever becomes of its recipe.
 */
export async function concludeRecipe(system: ActorSystem, ending: Ending): Promise<RecipeEnd> {
  const { store, log } = system.ports
  try {
    const record = await store.tasks.get(ending.taskId)
    return record?.recipe ? await conclude(system, record, record.recipe, ending) : NOTHING
  } catch (error) {
    log.warn({ taskId: ending.taskId, err: messageOf(error) }, 'The recipe of a task was not kept')
    return NOTHING
  }
}

async function conclude(
  { ports: { store, ids } }: ActorSystem,
  record: TaskRecord,
  use: RecipeUse,
  ending: Ending,
): Promise<RecipeEnd> {
  const { id: taskId, workspaceId, inputs, template } = record
  const journal = journalOf(await store.log(taskId))
  const { played, deviation } = playedIn(journal)
  const isComplete = ending.status === 'complete'
  const run: EndedRun = {
    ...{ taskId, workspaceId, use, deviation, isComplete },
    task: template?.task ?? record.task,
    url: template ? template.url : record.url,
    inputs: inputs ?? {},
    at: ending.completedAt,
    modelCalls: ending.usage.apiCalls,
    tokens: ending.usage.inputTokens + ending.usage.outputTokens,
    costUsd: journal.reduce((sum, entry) => sum + ((entry.kind === 'reply' && entry.costUsd) || 0), 0),
    distilled:
      isComplete && (use.plays === null || deviation !== null)
        ? recipeOf(journal, inputs ?? {}, [record.task, record.url, record.context].join('\n'))
        : null,
  }
  const newId = uuidAt(ending.completedAt, ids.uuid())
  const kept = await store.recipes.change(workspaceId, use.templateHash, (now) => afterRun(now, run, newId))
  const version = kept && madeOf(kept, taskId)
  return {
    run: runOf(use, kept, version, { played, asked: ending.usage.apiCalls, deviation }),
    made:
      kept && version
        ? {
            type: 'recipe.made',
            at: ending.completedAt,
            recipe_id: kept.id,
            version: version.version,
            unused_inputs: version.unused,
          }
        : null,
  }
}

const madeOf = ({ current, trial }: RecipeRecord, taskId: string) =>
  [current, trial].find((version) => version?.taskId === taskId) ?? null

function runOf(
  { plays }: RecipeUse,
  kept: RecipeRecord | null,
  version: ReturnType<typeof madeOf>,
  { deviation, ...counts }: { played: number; asked: number; deviation: RecipeRun['deviation'] | null },
): RecipeRun | null {
  const of = plays ?? (kept && version && { id: kept.id, version: version.version })
  return of && { ...of, ...counts, ...(deviation ? { deviation } : {}) }
}
