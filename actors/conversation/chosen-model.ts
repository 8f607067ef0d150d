import type { Model } from '../runtime/ports.ts'

/** The model that a task asked for, where it is still one of those that the operator allows; else the usual one. */
export const chosenModel = (model: Model, id: string | null | undefined): Model =>
  (id && (model.choices?.get(id) ?? (model.small?.id === id ? model.small : null))) || model

/** [L45] The model for what is read outside of conversations: the task's own where there is no smaller one. */
export const smallModel = (model: Model, id: string | null): Model => model.small ?? chosenModel(model, id)
