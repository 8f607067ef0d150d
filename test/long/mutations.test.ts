import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MUTATIONS } from '../simulation/mutations/list.ts'
import { tryMutation } from '../simulation/mutations/try.ts'

/**
 * The simulation is worth what it finds: each promise is broken in a copy of the tree, one at a time, and some seed
 * has to say so.
 */
const SEEDS_MAX = 5_000

const test = suite('mutations')
for (const mutation of MUTATIONS)
  test(`found: ${mutation.name}`, async () => {
    const { found, what } = await tryMutation(mutation, SEEDS_MAX, 1)
    console.log(`seed ${found[0]}: ${mutation.name} → ${what}`)
    assert.is(found.length, 1, `no seed up to ${SEEDS_MAX} finds it`)
  })
test.run()
