import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dashboardRoutes } from '../../src/pages/dashboard/routes.ts'
import { ANN, annAlone, ask, depsOf, serve } from './world.ts'

const test = suite('roles on the dashboard')

/** What is a user's own, or of nobody yet: no workspace is touched by it. */
const OWN = /\/(sign-in|sign-up|sign-out|key|claim|account\/password|members\/:id\/remove)$/

test('[A33] no form of the dashboard does anything for a viewer, and those of keys nothing for a member', async () => {
  for (const role of ['viewer', 'member'] as const) {
    const workspaces = ANN.workspaces.map((each) => ({ ...each, roles: { [ANN.userId]: role } }))
    const deps = depsOf({ accounts: { ...annAlone, principalOf: async () => ({ ...ANN, workspaces }) } })
    const { port, close } = await serve(deps)
    const forms = dashboardRoutes(deps).filter(({ method, path }) => method === 'POST' && !OWN.test(path))
    assert.ok(forms.length >= 6)
    for (const { path } of forms) {
      const at = path.replace(/:id/g, '0d5b0b5e-43b6-4e29-9d3b-6f0a4a7f6f01')
      const answer = await ask(port, at, { method: 'POST', headers: { cookie: 'ann' }, body: 'workspace=w-1' })
      const isRefused = role === 'viewer' || /\/(keys|webhooks|members|limits)/.test(path)
      assert.is(answer.status === 403 && /does not allow this/.test(answer.text), isRefused, `${role}: ${path}`)
    }
    await close()
  }
})

test.run()
