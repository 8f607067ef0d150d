import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../src/config/config.ts'
import { startService } from '../../src/main.ts'
import { Browser, SILENT } from '../identity/world.ts'
import { endChromium, startChromium } from '../observe/inspector/world.ts'
import { eventually } from '../support/eventually.ts'
import { aRecipe } from '../support/recipe-memory.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('what belongs to a workspace, in Chromium')
const config = readConfig({ HOST: '127.0.0.1', PORT: '0', RELAY_PORT: '0', DATA_DIR: tempFolder() })
const service = await startService({ config, log: SILENT })
const chromium = await startChromium()
test.after(async () => {
  await endChromium(chromium)
  await service.stop()
})

const PASSWORD = 'correct horse'

/** Somebody who is signed in, as a browser and as a client of the API. */
async function person(name: string) {
  const api = new Browser(service.url)
  assert.is((await api.signUp(`${name}@example.com`, PASSWORD, name)).status, 200)
  const context = await chromium.newContext()
  await context.addCookies([...api.cookies].map(([name, value]) => ({ name, value, url: service.url })))
  const page = await context.newPage()
  const at = (path: string) => page.goto(`${service.url}/dashboard/${path}`)
  return { api, page, at }
}
/** Chooses from what else a row has, and agrees where it asks. */
async function choose(page: Page, row: string, words: string, asks = true): Promise<void> {
  await page.getByRole('button', { name: `More for ${row}` }).click()
  await page.getByRole('button', { name: words, exact: true }).click()
  if (asks) await page.locator('dialog[open]').getByRole('button', { name: words }).click()
}
/** What is said at a field, to the eye and to a screen reader. */
async function wrongAt(page: Page, name: string): Promise<string | null> {
  const field = page.locator(`[name=${name}][aria-invalid=true]`)
  await field.waitFor()
  return page.locator(`#${await field.getAttribute('aria-describedby')}`).textContent()
}

test('[A29] [P12] a key is made once the password is given, shown once, and deleted once that is confirmed', async () => {
  const { page, at } = await person('kim')
  await at('keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('backend')
  await page.getByRole('button', { name: 'Create key' }).click()
  assert.match((await wrongAt(page, 'password')) ?? '', /^Confirm with your password/)
  assert.is(await page.getByLabel('Name').inputValue(), 'backend')
  await page.getByLabel('Confirm with your password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create key' }).click()
  assert.match((await page.locator('.made pre').textContent()) ?? '', /^svc_live_[\da-f]{48}$/)
  await page.locator('dialog').waitFor({ state: 'detached' })
  await choose(page, 'backend', 'Delete')
  await page.getByText('No keys yet').waitFor()
})

test('[P35] a long list is shown some at a time, and searched', async () => {
  const { page, at } = await person('ivo')
  const keys = Array.from({ length: 60 }, (_, n) => ({
    ...{ id: `key-${n}`, name: `Shop ${n}`, type: 'secret', key_prefix: `svc_live_${n}` },
    ...{ created_at: 1, last_used_at: null },
  }))
  await page.route('**/v1/api-keys', (route) => route.fulfill({ json: { data: keys, keys, next_cursor: null } }))
  await at('keys')
  const rows = page.locator('tbody tr')
  await rows.nth(49).waitFor()
  assert.is(await rows.count(), 50)
  await page.getByRole('button', { name: 'Show more' }).click()
  await rows.nth(59).waitFor()
  await page.getByRole('searchbox', { name: 'Search keys' }).fill('shop 3')
  await page.getByText('11 of 60 keys').waitFor()
  assert.is(await rows.count(), 11)
  await page.getByRole('searchbox').fill('none like it')
  await page.getByText('No key matches this search').waitFor()
  assert.match(page.url(), /\?q=none/)
})

test('[A34] [A35] [A36] an owner invites; who is invited joins with one press, gets another role, and leaves', async () => {
  const [owner, guest] = [await person('olga'), await person('gus')]
  await owner.at('members')
  await owner.page.getByRole('button', { name: 'Invite', exact: true }).click()
  const invite = async (email: string) => {
    await owner.page.getByLabel('Email').fill(email)
    await owner.page.locator('form').getByRole('button', { name: 'Invite', exact: true }).click()
  }
  await invite('olga@example.com')
  assert.match((await wrongAt(owner.page, 'email')) ?? '', /a member of this workspace already/)
  await invite('gus@example.com')
  const link = (await owner.page.locator('.made pre').textContent()) ?? ''
  await owner.page.getByRole('row').filter({ hasText: 'gus@example.com' }).waitFor()
  await guest.page.goto(link)
  await guest.page.getByText('olga (olga@example.com) invites you').waitFor()
  await guest.page.getByRole('button', { name: 'Join the workspace' }).click()
  await guest.page.waitForURL(/\/dashboard\?workspace=/)
  const workspace = new URL(guest.page.url()).searchParams.get('workspace') ?? ''
  await owner.at('members')
  await owner.page.getByRole('combobox', { name: 'Role of gus@example.com' }).selectOption('viewer')
  await owner.page.getByText('Saved').waitFor()
  await guest.at(`members?workspace=${workspace}`)
  await guest.page.getByRole('row').filter({ hasText: 'gus@example.com' }).getByText('viewer').waitFor()
  await choose(guest.page, 'gus@example.com', 'Leave')
  await guest.page.waitForURL(`${service.url}/dashboard`)
  // The last owner stays.
  await choose(owner.page, 'olga@example.com', 'Leave')
  await owner.page.getByText('A workspace needs an owner').waitFor()
})

test('[O14] [O11] an owner lowers a limit; what is refused is said at its field; the audit log has it', async () => {
  const { api, page, at } = await person('lin')
  await at('limits')
  const own = page.getByLabel('Running tasks: own limit')
  const save = () => page.getByRole('button', { name: 'Save' }).click()
  await own.fill('50')
  await save()
  assert.match((await wrongAt(page, 'running_tasks')) ?? '', /^must be at most 5/)
  await own.fill('2')
  await save()
  await page.getByText('Saved.').waitFor()
  // It is written beside the change, which does not wait for it.
  const audited = async () => (await (await api.send('/v1/audit')).text()).includes('updateLimits')
  await eventually(audited, 'the change is in the audit log')
  await at('audit')
  const row = page.getByRole('row').filter({ hasText: 'Update limits' })
  await row.getByText('Running tasks 2').waitFor()
  await row.getByRole('button', { name: /^Details of Update limits/ }).click()
  await page.getByRole('definition').filter({ hasText: 'updateLimits' }).waitFor()
})

test('[O11] the audit log is filtered by action and day; the address keeps it, and one press shows all again', async () => {
  const { api, page, at } = await person('ada')
  const noted = async () => (await (await api.send('/v1/audit')).text()).includes('signIn')
  await eventually(noted, 'the sign-up is in the audit log')
  await at('audit')
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Action').selectOption('createApiKey')
  await page.getByText('No entry matches these filters').waitFor()
  await page.getByLabel('Action').selectOption('signIn')
  await page.getByRole('row').filter({ hasText: 'Sign in' }).waitFor()
  await page.getByLabel('To', { exact: true }).fill('2001-02-03')
  await page.getByText('No entry matches these filters').waitFor()
  await page.reload()
  assert.is(new URL(page.url()).search, '?action=signIn&to=2001-02-03')
  await page.getByRole('button', { name: 'Filters (2)' }).waitFor()
  await page.getByRole('button', { name: 'To: 3 Feb 2001' }).click()
  await page.getByRole('row').filter({ hasText: 'Sign in' }).waitFor()
  await page.getByRole('button', { name: 'Clear all' }).click()
  await page.getByRole('row').filter({ hasText: 'Sign in' }).waitFor()
  assert.is(new URL(page.url()).search, '')
})

test('[J16] recipes are listed with what they saved; one shows its steps and checks, runs, is disabled and deleted', async () => {
  const { api, page, at } = await person('rey')
  const { workspace } = (await (await api.send('/v1/me')).json()) as { workspace: { id: string } }
  const workspaceId = workspace.id
  const recipe = aRecipe({
    workspaceId,
    runs: { played: 3, deviated: 1, modelCallsSaved: 42, costUsdSaved: 0.5 },
    deviations: { '2': 2 },
  })
  const { current, templateHash } = recipe
  const buy = {
    ...{ tool: 'computer', input: { action: 'left_click' }, group: 2 },
    target: { role: 'button', name: 'Buy', alike: 1 },
    expect: { url: 'https://shop.example/orders/*', lines: ['heading "Thank you"'] },
    terms: { form: 'POST https://shop.example/orders', fields: [{ name: 'total', value: '9.50' }], lines: [] },
  }
  const [open = buy] = current.steps
  const another = { ...buy, target: { ...buy.target, name: 'Order now' } }
  await service.store.recipes.change(workspaceId, templateHash, () => ({
    ...recipe,
    current: { ...current, steps: [open, buy] },
    trial: { ...current, version: 2, steps: [open, another] },
  }))
  await at('recipes')
  await page.getByRole('row').filter({ hasText: 'Buy {{goods}}' }).getByText('42 model calls').waitFor()
  await page.getByRole('link', { name: 'Buy {{goods}}' }).click()
  // The version on trial first: what the model did in the place of what was gone.
  const step = (words: string) => page.getByRole('listitem').filter({ hasText: words })
  await step('click button Order now').getByText('New').waitFor()
  assert.equal(await page.evaluate(`[...document.querySelectorAll('.recipe-steps li')].map((one) => one.className)`), [
    '',
    'gone',
    'new',
  ])
  await page.getByRole('deletion').getByText('click button Buy').waitFor()
  await page.getByRole('combobox', { name: 'Version' }).selectOption('1')
  for (const words of ['Cannot be undone', 'POST https://shop.example/orders, total', 'Handed over here 2 times'])
    await step('click button Buy').getByText(words).waitFor()
  await step('click button Buy').getByText('Check after: the page https://shop.example/orders/*').waitFor()
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByLabel('goods', { exact: true }).fill('12')
  // Chromium does not tell what a request carries that is made before it is sent.
  await page.evaluate(`{ const send = fetch; fetch = async (request) => {
    if (request.url.endsWith('/v1/tasks/${current.taskId}/rerun')) document.title = await request.clone().text()
    return send(request)
  } }`)
  await page.locator('dialog[open]').getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').getByText('Task not found').waitFor()
  assert.equal(JSON.parse(await page.title()), { recipe: 'auto', inputs: { goods: 12 } })
  await page.getByRole('button', { name: 'Cancel' }).click()
  await choose(page, 'Buy {{goods}}', 'Disable', false)
  await page.getByText('Disabled').waitFor()
  assert.is(await page.getByRole('button', { name: 'Run' }).count(), 0)
  await choose(page, 'Buy {{goods}}', 'Delete')
  await page.getByText('No recipes yet').waitFor()
})

test('[A32] [A38] a password is changed, a workspace is taken over; a wrong password or key is said at its field', async () => {
  const { api, page, at } = await person('pat')
  await at('account')
  const change = async (current: string) => {
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password').fill('another battery')
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  await change('wrong horse')
  assert.is(await wrongAt(page, 'current_password'), 'Current password is wrong')
  await change(PASSWORD)
  await page.getByText('Your password is changed').waitFor()
  // This browser stays signed in, others do not.
  assert.is((await api.send('/v1/me')).status, 401)
  await at('claim')
  const claim = async (key: string) => {
    await page.getByLabel('A secret key of the workspace').fill(key)
    await page.getByRole('button', { name: 'Take over' }).click()
  }
  await claim('svc_live_x')
  assert.match((await wrongAt(page, 'key')) ?? '', /must be a secret key/)
  await claim(service.firstKey ?? '')
  await page.waitForURL(/\/dashboard\?workspace=/)
  await page.getByRole('button', { name: 'Account and workspaces: default' }).waitFor()
})

test.run()
