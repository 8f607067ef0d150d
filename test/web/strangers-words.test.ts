import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createShares } from '../../src/identity/shares.ts'
import { html, page } from '../../src/web/html.ts'
import { sharedRoutes } from '../../src/web/shared.ts'
import { makeSurface } from '../support/http-surface.ts'
import { aTask } from '../support/stores.ts'

const test = suite('words of strangers on pages')

const headerOf = (response: { headers: readonly (readonly [string, string])[] }, name: string) =>
  response.headers.find(([each]) => each.toLowerCase() === name)?.[1]

test('[A43] the address that a form leads to adds no directive to the policy of its page', () => {
  const own = headerOf(page('Connect', html``, {}), 'content-security-policy') ?? ''
  for (const host of [
    'app.example',
    'a.example;script-src',
    'a.example;img-src',
    'a,b.example',
    'a.example;;sandbox',
  ]) {
    const { origin } = new URL(`https://${host}/`)
    const policy = headerOf(page('Connect', html``, { formsTo: origin }), 'content-security-policy') ?? ''
    assert.is(policy.split(';').length, own.split(';').length, policy)
    assert.is(policy.split(',').length, own.split(',').length, policy)
    assert.ok(policy.endsWith(`form-action 'self' ${origin.replaceAll(';', '%3B').replaceAll(',', '%2C')}`), policy)
  }
})

test('[V12] the page of a shared result is for no search engine', async () => {
  const { store, deps, taskService } = await makeSurface()
  const { clock } = deps
  const task = aTask({ status: 'complete' })
  taskService.tasksById.set(task.id, { ...task, state: 'closed', failure: null } as never)
  const shares = createShares(store, clock)
  const { id: taskId, workspaceId } = task
  const { token } = await shares.create({ taskId, workspaceId, keyId: null, createdBy: 'Ann' }, 1_000)
  const [route] = sharedRoutes({ store, clock, taskService } as never)
  const answer = await route?.run({} as never, token)
  assert.equal([answer?.status, answer && headerOf(answer, 'x-robots-tag')], [200, 'noindex'])
})

test.run()
