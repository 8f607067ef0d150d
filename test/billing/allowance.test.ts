import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allowanceOf, monthOf } from '../../src/billing/allowance.ts'

const test = suite('allowance')

test('[B2] counts by the month of UTC', () => {
  assert.is(monthOf(Date.UTC(2026, 0, 31, 23, 59, 59, 999)), '2026-01')
  assert.is(monthOf(Date.UTC(2026, 1, 1)), '2026-02')
  assert.is(monthOf(0), '1970-01')
})

test('[B5] asks the ledger for the month of now', async () => {
  const asked: string[][] = []
  const ledger = {
    get: (workspaceId: string, month: string) => {
      asked.push([workspaceId, month])
      return { freeUsed: 3, credits: 7 }
    },
  }
  assert.equal(await allowanceOf(ledger, 'w', Date.UTC(2026, 6, 1), 20), { freeRemaining: 17, creditBalance: 7 })
  assert.equal(asked, [['w', '2026-07']])
})

test('[B5] never has less than nothing left', async () => {
  const ledger = { get: async () => ({ freeUsed: 30, credits: 0 }) }
  assert.equal(await allowanceOf(ledger, 'w', 0, 20), { freeRemaining: 0, creditBalance: 0 })
})

test.run()
