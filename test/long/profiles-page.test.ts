import type { Browser } from 'playwright-core'
import * as assert from 'uvu/assert'
import { profiles } from '../e2e/profiles-suite.ts'
import { endChromium, pageOf, startChromium } from '../observe/inspector/world.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import type { SignInSite } from '../support/sign-in-site.ts'

let browser: Browser | null = null

/** The person creates the profile on the dashboard, opens the page to sign in, and clicks and types in its picture. */
async function signIn({ api, url, key }: TestService, site: SignInSite) {
  browser = await startChromium()
  const { page } = await pageOf(browser, url, key)
  await page.goto(`${url}/dashboard/profiles`)
  await page.getByRole('button', { name: 'New profile' }).click()
  await page.getByLabel('Name').fill('acme')
  await page.getByRole('button', { name: 'Create profile' }).click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Sign-in page').fill(`${site.origin}/login`)
  await page.getByRole('button', { name: 'Open the page' }).click()
  await page.getByRole('textbox', { name: 'Type in the page of the browser' }).waitFor({ timeout: 40_000 })
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const profile = (await api.get('/v1/profiles/acme')).json
  assert.equal([profile.name, profile.saved_at], ['acme', null])
  const press = async (x: number, y: number) => {
    const canvas = page.locator('canvas')
    const box = (await canvas.boundingBox()) as { x: number; y: number; width: number; height: number }
    // The picture is as large as it fits, at the top of its box and in its middle.
    const { width, height } = await canvas.evaluate((of: typeof box) => ({ width: of.width, height: of.height }))
    const scale = Math.min(box.width / width, box.height / height)
    await page.mouse.click(box.x + box.width / 2 + (x - 0.5) * width * scale, box.y + y * height * scale)
  }
  const shows = (name: string) => eventually(() => site.shown === name, `the page for the ${name}`, 20_000)
  await shows('password')
  await press(0.5, 0.15)
  await page.keyboard.type(site.password)
  await press(0.5, 0.4)
  await shows('code')
  await press(0.5, 0.15)
  await page.keyboard.type(site.code ?? '')
  await page.keyboard.press('Enter')
  await shows('welcome')
  const seen = [await page.content()]
  await page.getByRole('button', { name: 'Done' }).click()
  const pages = async () => {
    await page.getByText('The profile is being saved').first().waitFor()
    for (const path of [`/dashboard/tasks/${id}`, '/dashboard/profiles', '/dashboard/audit', `/inspector?task=${id}`]) {
      await page.goto(`${url}${path}`)
      await page.locator('.loading').waitFor({ state: 'detached' })
      seen.push(await page.content())
    }
    return seen
  }
  return { id, profileId: profile.id as string, code: site.code ?? '', pages }
}

await profiles('on the dashboard', signIn, async () => {
  if (browser) await endChromium(browser)
})
