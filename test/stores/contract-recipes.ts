import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { RecipeRecord } from '../../machines/recipe.ts'
import { aRecipe } from '../support/recipe-memory.ts'
import { THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'

export function recipesContract(test: Test): void {
  test('[J5] a template has one recipe in a workspace, whoever makes it first', async ({ store, other, seen }) => {
    const { workspaceId, templateHash } = aRecipe()
    const making = (at: typeof store) => {
      const mine = aRecipe({ workspaceId, templateHash })
      return at.recipes.change(workspaceId, templateHash, (now) => (now ? null : mine))
    }
    const [one, two] = await Promise.all([making(store), making(other)])
    assert.ok(one)
    assert.equal(one, two)
    assert.equal(await seen.recipes.ofTemplate(workspaceId, templateHash), one)
    assert.equal(await seen.recipes.get(one?.id ?? ''), one)
    assert.is(await seen.recipes.ofTemplate(randomUUID(), templateHash), null)
  })

  test('[J10] changes of one recipe follow each other', async ({ store, other, seen }) => {
    const record = aRecipe()
    const { workspaceId, templateHash } = record
    await store.recipes.change(workspaceId, templateHash, () => record)
    const played = (at: typeof store) =>
      at.recipes.change(
        workspaceId,
        templateHash,
        (now) => now && { ...now, runs: { ...now.runs, played: now.runs.played + 1 } },
      )
    await Promise.all([store, other, store, other].map(played))
    assert.is((await seen.recipes.get(record.id))?.runs.played, 4)
    assert.is(await store.recipes.change(workspaceId, randomUUID(), () => null), null)
  })

  test('[J13] they are listed newest first, page by page, and removed from their own workspace alone', async ({
    store,
    seen,
  }) => {
    const workspaceId = randomUUID()
    const records = [0, 1, 2].map((n) => aRecipe({ workspaceId, createdAt: THEN + n }))
    for (const record of [...records, aRecipe()])
      await store.recipes.change(record.workspaceId, record.templateHash, () => record)
    const page = async (after: RecipeRecord | undefined, limit: number) =>
      (await seen.recipes.list({ workspaceId, after: after ?? null, limit })).map(({ id }) => id)
    const [first, second, third] = records.map(({ id }) => id)
    assert.equal(await page(undefined, 2), [third, second])
    assert.equal(await page(records[1], 2), [first])
    assert.is(await store.recipes.remove(randomUUID(), first ?? ''), false)
    assert.is(await store.recipes.remove(workspaceId, first ?? ''), true)
    assert.is(await store.recipes.remove(workspaceId, first ?? ''), false)
    assert.equal(await page(undefined, 9), [third, second])
  })
}
