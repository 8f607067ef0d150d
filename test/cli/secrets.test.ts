import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { secretsOf } from '../../src/cli/secrets.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('secrets on the command line')

const file = join(tempFolder(), 'seed')
writeFileSync(file, 'GEZDGNBVGY3TQOJQ\n')
process.env.A_PASSWORD = 'Tr0ub4dor &3 '

test('[X9] values come from the environment or a file, for the site of the page or those that are named', () => {
  const given = { secret: ['password=env:A_PASSWORD'], totp: [`code=file:${file}`] }
  assert.equal(secretsOf(given, 'https://shop.example:8443/tea'), [
    { name: 'password', value: 'Tr0ub4dor &3 ', domains: ['shop.example:8443'] },
    { name: 'code', totp: 'GEZDGNBVGY3TQOJQ', domains: ['shop.example:8443'] },
  ])
  const domains = ['shop.example', '*.pay.example']
  assert.equal(secretsOf({ ...given, secretDomain: domains }, null)[1]?.domains, domains)
  assert.equal(secretsOf({}, null), [])
})

test('[X9] a value itself, and one that is not there, are refused without being repeated', () => {
  for (const [secret, says] of [
    ['password=Tr0ub4dor', /--secret takes name=env:VARIABLE or name=file:path/],
    ['Tr0ub4dor', /--secret takes/],
    ['password=env:NOT_SET_ANYWHERE', /NOT_SET_ANYWHERE is not set/],
    ['password=file:/nowhere/at/all', /\/nowhere\/at\/all cannot be read/],
  ] as const)
    assert.throws(
      () => secretsOf({ secret: [secret] }, 'https://shop.example'),
      ({ message }: Error) => says.test(message) && !message.includes('Tr0ub'),
    )
  assert.throws(() => secretsOf({ secret: ['password=env:A_PASSWORD'] }, null), /Use --secret-domain, or --url/)
})

test.run()
