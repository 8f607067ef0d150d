import { randomBytes } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createSecretBox } from '../../src/identity/secret-box.ts'
import { installPythonClient, installTypescriptClient } from '../clients/packed.ts'
import { aKey, aWorkspace, makeSurface } from '../support/http-surface.ts'
import { compileExamples, referenceExamples, sendExamples } from './reference.ts'

const WITHOUT_CALL = [
  'debugCookies',
  'getPairing',
  'registerBrowser',
  'uploadBrowserFile',
  'listBrowserFiles',
  'getBrowserFile',
  'keepBrowserFile',
  'receivePaymentEvent',
  'readTaskProfile',
  'saveTaskProfile',
]

/** The API itself, to say whether it understands a request. */
async function surfaceWithKey() {
  const surface = await makeSurface({ secretBox: createSecretBox(randomBytes(32)) })
  const { key } = await aKey(surface, (await aWorkspace(surface)).id)
  return { ...surface, key }
}

const test = suite('the examples of the reference of the API')
const [reference, { folder }, python] = await Promise.all([
  referenceExamples(),
  installTypescriptClient(),
  installPythonClient(),
])

if (python === null) console.log('SKIPPED 1 Python with venv and an index of packages is not here')

test('[P25] its TypeScript compiles', async () => assert.is(await compileExamples(reference, folder), ''))

test('[P25] each example of the reference is sent: curl, TypeScript and Python ask the same', async () => {
  const curl = await sendExamples(reference, 'curl', { folder })
  assert.equal(
    reference.operations.map(({ operationId }) => operationId).filter((id) => !curl.has(id)),
    [],
  )
  const { key, ...surface } = await surfaceWithKey()
  for (const { method, path, operationId } of reference.operations) {
    const sent = curl.get(operationId)
    assert.ok(sent)
    assert.match(sent.path, new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operationId)
    assert.is(sent.method, method.toUpperCase(), operationId)
    // The provider signs what it sends.
    if (operationId === 'receivePaymentEvent') continue
    const query = sent.query.length === 0 ? '' : `?${sent.query.map((each) => encodeURI(each)).join('&')}`
    const body = sent.body === null ? {} : { body: sent.body }
    const answer = await surface.ask(sent.method, sent.path + query, { key, ...body })
    assert.is.not(answer.status, 400, `${operationId}: ${JSON.stringify(answer.json)}`)
    const [, warning] = Object.entries(answer.headers).find(([name]) => name === 'warning') ?? []
    assert.is(warning, undefined, operationId)
  }
  const languages = [['TypeScript', { folder }] as const, ...(python ? [['Python', python] as const] : [])]
  for (const [language, where] of languages) {
    const sent = await sendExamples(reference, language, where)
    assert.equal([...sent.keys()], [...reference.in(language).keys()], language)
    for (const [id, { credentials, ...request }] of sent) {
      const { credentials: asCurl, ...expected } = curl.get(id) ?? { credentials: null }
      assert.equal(request, expected, `${language}: ${id}`)
      // On a page the browser sends the cookie.
      if (language === 'Python' || asCurl?.startsWith('Bearer')) assert.is(credentials, asCurl, `${language}: ${id}`)
    }
  }
  // What browsers and the payment provider send, and what shows a proxy's cookies, has no call.
  assert.equal(
    reference.operations.map(({ operationId }) => operationId).filter((id) => !reference.in('TypeScript').has(id)),
    WITHOUT_CALL,
  )
  assert.equal([...reference.in('Python').keys()], [...reference.in('TypeScript').keys()])
  console.log(
    `Sent: ${curl.size} with curl, ${languages.map(([each]) => `${reference.in(each).size} with ${each}`).join(', ')}`,
  )
})

test.run()
