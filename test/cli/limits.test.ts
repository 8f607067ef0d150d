import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openService } from '../support/service.ts'
import { run } from './command.ts'

const test = suite('command line: limits')

test('[O9] limits are shown and set by command, beside a running service, which keeps them at the next start', async () => {
  const service = await openService()
  const DATA_DIR = service.dataDir
  const limits = (...args: string[]) => run(['limits', ...args], { DATA_DIR })
  try {
    const shown = await limits('default')
    assert.match(shown.out, /running_tasks +5 +default\n/)
    const policy = async () => {
      const { headers } = await service.api.start('2d9f1c0e-0000-4000-8000-000000000000', 'x')
      return String(headers['ratelimit-policy'])
    }
    assert.match(await policy(), /"starts";q=10;w=60, "running";q=5/)
    const { code, out, err } = await limits('default', 'running_tasks=20', 'starts_per_minute=40', '--json')
    assert.is(code, 0, err)
    const set = JSON.parse(out)
    assert.equal([set.running_tasks, set.starts_per_minute, set.queued_tasks], [20, 40, 1_000])
    assert.match(await policy(), /"starts";q=40;w=60, "running";q=20/)
    assert.equal((await service.api.get('/v1/limits')).json.running_tasks, 20)
    assert.is((await limits('default', 'running_tasks=default')).code, 0)
    assert.match(await policy(), /"starts";q=40;w=60, "running";q=5/)

    for (const [change, error] of [
      ['tasks=1', /^Unknown limit "tasks": expected starts_per_minute, running_tasks, /],
      [
        'starts_per_minute=0',
        /^starts_per_minute "0" is not valid: expected a whole number from 1 to 1000, or default$/m,
      ],
      ['running_tasks=1.5', /^running_tasks "1.5" is not valid/],
      ['retention_days', /^retention_days "" is not valid/],
      ['max_cost_usd_max=0', /^max_cost_usd_max "0" is not valid: expected a number above 0/],
      ['max_cost_usd_max=-1', /^max_cost_usd_max "-1" is not valid/],
    ] as const) {
      const refused = await limits('default', 'queued_tasks=7', change)
      assert.is(refused.code, 1, change)
      assert.match(refused.err, error)
    }
    const both = await limits('default', 'max_cost_usd_default=3', 'max_cost_usd_max=2')
    assert.is(both.err, 'max_cost_usd_default is more than max_cost_usd_max\n')
    assert.match((await limits('nobody')).err, /^Unknown workspace "nobody"\.\n$/)
    // A refused command has changed nothing.
    assert.is((await service.api.get('/v1/limits')).json.queued_tasks, 1_000)
  } finally {
    await service.kill()
  }
})

test.run()
