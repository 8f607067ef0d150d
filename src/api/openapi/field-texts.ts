import { ACCOUNT_TEXTS } from './account-texts.ts'
import { FILE_TEXTS } from './file-texts.ts'
import { INPUT_TEXTS } from './input-texts.ts'
import { PROFILE_TEXTS } from './profile-texts.ts'
import { RECIPE_TEXTS } from './recipe-texts.ts'
import { TASK_TEXTS } from './task-texts.ts'

/** What a field means, and an example of it unless it is made of fields that have their own. By `Schema.field`, or by the field's name alone where it means the same everywhere. */
export type FieldTexts = Readonly<Record<string, readonly [description: string, example?: unknown]>>

/** The texts by the room of the API that they belong to: no name stands in two of them. */
export const TEXTS: readonly FieldTexts[] = [
  TASK_TEXTS,
  INPUT_TEXTS,
  FILE_TEXTS,
  PROFILE_TEXTS,
  RECIPE_TEXTS,
  ACCOUNT_TEXTS,
]
export const FIELD_TEXTS: FieldTexts = Object.assign({}, ...TEXTS)
