import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { monthOf, readAllowance } from '../../../actors/allowance.ts'
import type { Ports } from '../../../actors/runtime/ports.ts'
import type { Door } from '../../../machines/records.ts'

const test = suite('allowance')

/** What is read of a ledger on the first of July 2026, and what the ledger was asked. */
function reading(freeUsed: number, credits: number, freePerMonth: number | null, door: Door = 'http') {
  const asked: string[][] = []
  const ledger: Partial<Ports['store']['ledger']> = {
    get: async (workspaceId: string, month: string) => {
      asked.push([workspaceId, month])
      return { freeUsed, credits }
    },
  }
  const ports = {
    billing: freePerMonth === null ? null : { freePerMonth },
    store: { ledger } as Ports['store'],
    clock: { now: () => Date.UTC(2026, 6, 1) } as Ports['clock'],
  }
  return { asked, allowance: readAllowance(ports, 'w', door) }
}

test('[B2] counts by the month of UTC', () => {
  assert.is(monthOf(Date.UTC(2026, 0, 31, 23, 59, 59, 999)), '2026-01')
  assert.is(monthOf(Date.UTC(2026, 1, 1)), '2026-02')
  assert.is(monthOf(0), '1970-01')
})
test('[B5] asks the ledger for the month of now', async () => {
  const { asked, allowance } = reading(3, 7, 20)
  assert.equal(await allowance, { freeRemaining: 17, creditBalance: 7 })
  assert.equal(asked, [['w', '2026-07']])
})
test('[B5] never has less than nothing left', async () => {
  assert.equal(await reading(30, 0, 20).allowance, { freeRemaining: 0, creditBalance: 0 })
})
test('[B1] without billing tasks are free, and credits stay what they are', async () => {
  assert.equal(await reading(30, 4, null).allowance, { freeRemaining: null, creditBalance: 4 })
})
test('an internal task asks for no allowance', async () => {
  const { asked, allowance } = reading(20, 0, 20, 'internal')
  assert.equal(await allowance, { freeRemaining: null, creditBalance: 0 })
  assert.equal(asked, [])
})

test.run()
