import { parseArgs } from 'node:util'
import { claimRounds } from './rounds.ts'

/**
 * By hand: `node --conditions=development --import tsx test/crash/claims/campaign.ts [--rounds 50] [--store lmdb|mongodb]`.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '50' }, store: { type: 'string', default: 'lmdb' } },
})
if (values.store !== 'lmdb' && values.store !== 'mongodb') throw new Error('--store is lmdb or mongodb')
const from = performance.now()
const { wrong, ended } = await claimRounds(values.store, Number(values.rounds))
const seconds = Math.round((performance.now() - from) / 1_000)
console.log(
  [
    ...wrong,
    `${values.rounds} kills on ${values.store}, ${JSON.stringify(ended)}, ${wrong.length} wrong, ${seconds} s`,
  ].join('\n'),
)
process.exitCode = wrong.length > 0 ? 1 : 0
