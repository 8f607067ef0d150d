import { createHash } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Log } from '../../actors/runtime/ports.ts'
import { readConfig } from '../../src/config/config.ts'
import { RESET_ANSWER_MS, RESET_LINKS_PER_HOUR_MAX } from '../../src/identity/limits.ts'
import { startService } from '../../src/main.ts'
import { run } from '../cli/command.ts'
import { eventually } from '../support/eventually.ts'
import { openMailServer } from '../support/mail.ts'
import { freePort } from '../support/ports.ts'
import { tempFolder } from '../support/stores.ts'
import { Browser, SILENT } from './world.ts'

const test = suite('passwords')
const mail = await openMailServer()
const port = await freePort()
const PUBLIC_URL = `http://127.0.0.1:${port}`
const DATA_DIR = tempFolder()
const ENV = { HOST: '127.0.0.1', RELAY_PORT: '0', BETTER_AUTH_SECRET: 'a secret of the tests, longer than asked for' }
const start = async (more: Record<string, string>, log: Log = SILENT) => {
  const config = readConfig({ ...ENV, PORT: '0', DATA_DIR: tempFolder(), ...more })
  return startService({ config, log })
}
const service = await start({ PORT: String(port), PUBLIC_URL, SMTP_URL: mail.url, DATA_DIR })
test.after(async () => {
  await service.stop()
  await mail.close()
})

const form = (browser: Browser, path: string, fields: Record<string, string>) =>
  browser.send(path, { method: 'POST', body: new URLSearchParams(fields) })
// biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
const jsonOf = async (answer: Response): Promise<any> => answer.json()
const isSignedIn = async (browser: Browser) => (await browser.send('/v1/me')).status === 200
/** Signs somebody up, who confirms the address where letters are sent. */
async function person(email: string, base = PUBLIC_URL): Promise<Browser> {
  const browser = new Browser(base)
  const up = () => browser.signUp(email).then(({ status }) => assert.is(status, 200))
  if (base !== PUBLIC_URL) await up()
  else await open(browser, await linkAfter(up))
  return browser
}
const open = (browser: Browser, link: string) => browser.send(link.slice(PUBLIC_URL.length))
/** The link in the next letter. */
async function linkAfter(work: () => Promise<unknown>): Promise<string> {
  const before = mail.letters.length
  await work()
  await eventually(() => mail.letters.length > before, 'a letter')
  return mail.letters.at(-1)?.link ?? ''
}

test('[A42] signing up answers the same whether the address has an account or not; a letter tells its owner which', async () => {
  await person('taken@example.com')
  const up = (email: string) =>
    form(new Browser(PUBLIC_URL), '/dashboard/sign-up', { name: 'Eve', email, password: 'evil battery' })
  const raw = async (email: string) => {
    const begun = performance.now()
    const answer = await new Browser(PUBLIC_URL).signUp(email, 'evil battery', 'Eve')
    assert.ok(performance.now() - begun >= RESET_ANSWER_MS - 1)
    assert.equal([answer.status, answer.headers.getSetCookie()], [200, []])
    return answer.text()
  }
  const before = mail.letters.length
  const [known, unknown] = [await up('Taken@example.com'), await up('free@example.com')]
  assert.equal([known.status, await known.text()], [unknown.status, await unknown.text()])
  assert.equal([known.headers.getSetCookie(), unknown.headers.getSetCookie()], [[], []])
  assert.is(await raw('taken@example.com'), await raw('free-too@example.com'))
  await eventually(() => mail.letters.length === before + 4, 'a letter for each')
  assert.equal(
    mail.letters
      .slice(before)
      .map(({ to, subject }) => `${to}: ${subject}`)
      .sort(),
    [
      'free-too@example.com: Confirm your e-mail address',
      'free@example.com: Confirm your e-mail address',
      'taken@example.com: You have an account already',
      'taken@example.com: You have an account already',
    ],
  )
  // Nobody has got in, and the password is that of the owner still.
  assert.is((await new Browser(PUBLIC_URL).signIn('taken@example.com', 'evil battery')).status, 401)
  assert.is((await new Browser(PUBLIC_URL).signIn('taken@example.com')).status, 200)
})

test('[A42] an account opens once its address is confirmed; each sign-in before sends a link, which goes on where the form led', async () => {
  const browser = new Browser(PUBLIC_URL)
  const fields = { name: 'Zoe', email: 'zoe@example.com', password: 'correct horse' }
  const next = '/dashboard/keys'
  await linkAfter(() => form(browser, '/dashboard/sign-up', { ...fields, next }))
  assert.not.ok(await isSignedIn(browser))
  const early = await form(browser, '/dashboard/sign-in', fields)
  assert.is(early.status, 403)
  assert.match(await early.text(), /Confirm your e-mail address first/)
  const link = mail.letters.findLast(({ to }) => to === 'zoe@example.com')?.link ?? ''
  const opened = await open(browser, link)
  assert.equal([opened.status, await isSignedIn(browser)], [302, true])
  assert.is((await new Browser(PUBLIC_URL).signIn('zoe@example.com')).status, 200)
  // The link has done what it was for: it signs nobody in any more.
  const other = new Browser(PUBLIC_URL)
  await open(other, link)
  assert.not.ok(await isSignedIn(other))
})

test('[A42] accounts from before letters were sent go on as they are', async () => {
  const folder = tempFolder()
  const without = await start({ DATA_DIR: folder })
  await person('old@example.com', without.url)
  await without.stop()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const later = await start({ DATA_DIR: folder, PORT: String(port), PUBLIC_URL: url, SMTP_URL: mail.url })
  const signedIn = await new Browser(url).signIn('old@example.com')
  await later.stop()
  assert.is(signedIn.status, 200)
})

test('[A31] a link by e-mail sets a new password, once, and ends all sign-ins', async () => {
  const [one, two] = [await person('ann@example.com'), new Browser(PUBLIC_URL)]
  await two.signIn('ann@example.com')
  const stranger = new Browser(PUBLIC_URL)
  const link = await linkAfter(() => form(stranger, '/forgot', { email: 'Ann@example.com' }))
  const letter = mail.letters.at(-1)
  assert.equal([letter?.to, letter?.subject], ['ann@example.com', 'Set a new password'])
  assert.match(letter?.from ?? '', /no-reply@127\.0\.0\.1/)
  assert.ok(link.startsWith(`${PUBLIC_URL}/reset/`), link)
  const path = new URL(link).pathname
  assert.match(await (await stranger.send(path)).text(), /Set a new password/)
  const short = await form(stranger, path, { password: 'short' })
  assert.is(short.status, 400)
  assert.match(await short.text(), /too short/i)
  assert.ok(await isSignedIn(one))
  const set = await form(stranger, path, { password: 'another battery' })
  assert.is(set.status, 200)
  assert.match(await set.text(), /Your new password is set/)
  assert.equal([await isSignedIn(one), await isSignedIn(two)], [false, false])
  assert.is((await stranger.signIn('ann@example.com')).status, 401)
  assert.is((await stranger.signIn('ann@example.com', 'another battery')).status, 200)
  const again = await form(new Browser(PUBLIC_URL), path, { password: 'a third battery' })
  assert.is(again.status, 400)
  assert.match(await again.text(), /used already or is older than an hour/)
})

test('[A43] a new password by a link ends the connections of applications, too', async () => {
  const one = await person('connected@example.com')
  const uri = 'https://assistant.example/back'
  const { client_id } = await jsonOf(await one.send('/oauth/register', { json: { redirect_uris: [uri] } }))
  const verifier = 'v'.repeat(43)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const query = new URLSearchParams({
    ...{
      response_type: 'code',
      client_id,
      redirect_uri: uri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    },
  })
  const { workspace } = await jsonOf(await one.send('/v1/me'))
  const allowed = await form(one, `/dashboard/connect?${query}`, { workspace: workspace.id, decision: 'allow' })
  const code = new URL(allowed.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const stranger = new Browser(PUBLIC_URL)
  const grant = { grant_type: 'authorization_code', code, client_id, redirect_uri: uri, code_verifier: verifier }
  const { refresh_token } = await jsonOf(await form(stranger, '/oauth/token', grant))
  const refresh = (token: string) =>
    form(stranger, '/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id })
  const next = await refresh(refresh_token)
  assert.is(next.status, 200)
  const link = await linkAfter(() => form(stranger, '/forgot', { email: 'connected@example.com' }))
  assert.is((await form(stranger, new URL(link).pathname, { password: 'another battery' })).status, 200)
  assert.is((await refresh((await jsonOf(next)).refresh_token)).status, 400)
})

test('[A31] the answer and its time are the same whether there is such an account or not', async () => {
  await person('known@example.com')
  const before = mail.letters.length
  const ask = async (email: string) => {
    const begun = performance.now()
    const answer = await form(new Browser(PUBLIC_URL), '/forgot', { email })
    const ms = performance.now() - begun
    assert.ok(ms >= RESET_ANSWER_MS - 1, `${ms} ms`)
    return { status: answer.status, text: await answer.text() }
  }
  assert.equal(await ask('known@example.com'), await ask('unknown@example.com'))
  const raw = async (email: string) =>
    (await new Browser(PUBLIC_URL).send('/api/auth/request-password-reset', { json: { email } })).text()
  assert.is(await raw('known@example.com'), await raw('unknown@example.com'))
  await eventually(() => mail.letters.length === before + 2, 'two letters to the one who has an account')
  assert.ok(mail.letters.slice(before).every(({ to }) => to === 'known@example.com'))
})

test('[A31] one account is sent few links an hour, and they lead to PUBLIC_URL whatever host was asked', async () => {
  await person('often@example.com')
  await person('later@example.com')
  const before = mail.letters.length
  const asked = Array.from({ length: RESET_LINKS_PER_HOUR_MAX + 3 }, () =>
    form(new Browser(`http://localhost:${port}`), '/forgot', { email: 'often@example.com' }),
  )
  for (const answer of await Promise.all(asked)) assert.is(answer.status, 200)
  // Letters go in order: this one is the last.
  await form(new Browser(PUBLIC_URL), '/forgot', { email: 'later@example.com' })
  const letters = () => mail.letters.slice(before)
  await eventually(() => letters().some(({ to }) => to === 'later@example.com'), 'the last letter')
  await eventually(() => letters().length === RESET_LINKS_PER_HOUR_MAX + 1, 'all letters')
  assert.ok(letters().every(({ link }) => link.startsWith(`${PUBLIC_URL}/reset/`)))
})

test('[A32] a change of the password needs the one before and signs all others out', async () => {
  const [own, other] = [await person('change@example.com'), new Browser(PUBLIC_URL)]
  await other.signIn('change@example.com')
  assert.match(await (await own.send('/dashboard/account')).text(), /change@example\.com/)
  const path = '/v1/account/password'
  const change = (current: string, next = 'another battery') =>
    own.api('POST', path, { current_password: current, new_password: next })
  for (const [refused, code] of [
    [await change('wrong horse'), 'current_password_invalid'],
    [await change('correct horse', 'short'), 'new_password_invalid'],
  ] as const)
    assert.equal([refused.status, refused.json.code], [400, code])
  const foreign = { origin: 'https://evil.example' }
  const json = { current_password: 'correct horse', new_password: 'another battery' }
  assert.is((await own.send(path, { json, headers: foreign })).status, 403)
  assert.ok(await isSignedIn(other))
  assert.equal(await change('correct horse'), { status: 200, json: { changed: true } })
  assert.equal([await isSignedIn(own), await isSignedIn(other)], [true, false])
  assert.is((await other.signIn('change@example.com')).status, 401)
  assert.is((await other.signIn('change@example.com', 'another battery')).status, 200)
})

test('[A31] the operator prints a link beside the running service', async () => {
  const browser = await person('operator@example.com')
  const made = await run(['reset-password', 'Operator@example.com', '--json'], { DATA_DIR, PUBLIC_URL })
  assert.is(made.code, 0, made.err)
  const { link } = JSON.parse(made.out)
  assert.ok(link.startsWith(`${PUBLIC_URL}/reset/`), link)
  const set = await form(new Browser(PUBLIC_URL), new URL(link).pathname, { password: 'another battery' })
  assert.is(set.status, 200)
  assert.not.ok(await isSignedIn(browser))
  const none = await run(['reset-password', 'nobody@example.com'], { DATA_DIR })
  assert.equal([none.code, none.err], [1, 'There is no account with the address "nobody@example.com".\n'])
})

test('[N15] without SMTP_URL the link is a line of the log; in production there is none, and the page says so', async () => {
  const lines: { link?: unknown }[] = []
  const development = await start({}, { ...SILENT, info: (fields) => lines.push(fields) })
  await person('log@example.com', development.url)
  await form(new Browser(development.url), '/forgot', { email: 'log@example.com' })
  assert.ok(lines.some(({ link }) => String(link).startsWith(`${development.url}/reset/`)))
  await development.stop()
  const production = await start({ NODE_ENV: 'production' }, { ...SILENT, info: (fields) => lines.push(fields) })
  lines.length = 0
  const stranger = new Browser(production.url)
  assert.match(
    await (await stranger.send('/forgot')).text(),
    /npx<\/span> browser-task-service reset-password &lt;address&gt;/,
  )
  assert.match(await (await form(stranger, '/forgot', { email: 'log@example.com' })).text(), /does not send e-mail/)
  const raw = await stranger.send('/api/auth/request-password-reset', { json: { email: 'log@example.com' } })
  assert.is(raw.status, 400)
  assert.not.ok(lines.some(({ link }) => link !== undefined))
  await production.stop()
})

test('[N15] SMTP_URL needs PUBLIC_URL, and its value is never shown', () => {
  assert.throws(() => readConfig({ SMTP_URL: 'smtp://mail.example' }), /SMTP_URL needs PUBLIC_URL/)
  assert.throws(
    () => readConfig({ SMTP_URL: 'mail.example:hunter2' }),
    (error: Error) => /SMTP_URL \(value not shown\) is not valid/.test(error.message),
  )
  const set = { SMTP_URL: 'smtps://mail.example', PUBLIC_URL: 'https://tasks.example/x' }
  assert.is(readConfig(set).mail?.from, 'Browser Task Service <no-reply@tasks.example>')
  assert.throws(() => readConfig({ ...set, SMTP_FROM: 'nobody' }), /SMTP_FROM "nobody" is not valid/)
})

test.run()
