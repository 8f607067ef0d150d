import { randomBytes, randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError, readConfig } from '../../src/config/config.ts'
import { secretsKeyOf } from '../../src/config/kinds.ts'
import { openSecretBox } from '../../src/identity/made-secrets.ts'
import { createSecretBox, newSecretsKey } from '../../src/identity/secret-box.ts'

const test = suite('the key for secrets')

/** A store's settings: the first writer wins. */
function settings() {
  const kept = new Map<string, string>()
  return {
    kept,
    setting: async (name: string, propose: () => string) => {
      if (!kept.has(name)) kept.set(name, propose())
      return kept.get(name) ?? ''
    },
  }
}

test('[N14] SECRETS_KEY is 32 bytes in base64 or in hexadecimal digits', () => {
  const bytes = randomBytes(32)
  for (const text of [bytes.toString('base64'), bytes.toString('hex'), bytes.toString('base64').slice(0, -1)]) {
    const { secretsKey } = readConfig({ SECRETS_KEY: text })
    assert.ok(secretsKeyOf(secretsKey ?? '')?.equals(bytes), text)
  }
})

test('[N14 N8] any other SECRETS_KEY stops the start, and is not shown', () => {
  for (const text of ['hunter2', 'x'.repeat(43), `${'a'.repeat(63)}`, randomBytes(31).toString('base64')]) {
    if (secretsKeyOf(text) !== null) continue
    try {
      readConfig({ SECRETS_KEY: text })
      assert.unreachable(text)
    } catch (error) {
      assert.instance(error, ConfigError)
      assert.match((error as Error).message, /^SECRETS_KEY \(value not shown\) is not valid: expected 32 random bytes/)
    }
  }
  assert.is(secretsKeyOf('hunter2'), null)
  assert.is(secretsKeyOf(randomBytes(33).toString('base64')), null)
})

test('[N14] outside production a key is made once and kept; in production there is none', async () => {
  const store = settings()
  const first = await openSecretBox({ secretsKey: null, production: false }, store)
  const second = await openSecretBox({ secretsKey: null, production: false }, store)
  assert.is(second?.open(first?.seal('tea', 'a') ?? '', 'a'), 'tea')
  assert.is(store.kept.size, 1)
  assert.is(await openSecretBox({ secretsKey: null, production: true }, settings()), null)
  assert.ok(await openSecretBox({ secretsKey: newSecretsKey(), production: true }, settings()))
})

test('[W13] what is sealed opens with its key and for its owner alone, and not after one changed bit', () => {
  const box = createSecretBox(randomBytes(32))
  const owner = randomUUID()
  const sealed = box.seal('pässwörd', owner)
  assert.is(box.open(sealed, owner), 'pässwörd')
  assert.is.not(box.seal('pässwörd', owner), sealed)
  assert.throws(() => box.open(sealed, randomUUID()))
  assert.throws(() => createSecretBox(randomBytes(32)).open(sealed, owner))
  const bytes = Buffer.from(sealed.slice(3), 'base64')
  for (const at of [0, 12, 28, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.throws(() => box.open(`v1.${changed.toString('base64')}`, owner), undefined, String(at))
  }
  for (const text of ['', 'v1.', 'v2.abc', 'tea']) assert.throws(() => box.open(text, owner))
})

test.run()
