import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { claimRounds } from '../crash/claims/rounds.ts'

const test = suite('kill -9 between the claim of an Idempotency-Key and the answer: mongodb')

test('[E23] [E22] never two tasks, never none; one task for 100 requests at once', async () => {
  assert.equal((await claimRounds('mongodb', 3)).wrong, [])
})

test.run()
