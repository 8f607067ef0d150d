import { transformSync } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RecipeStep, RecipeVersion, Target } from '../../machines/recipe.ts'
import { playwrightTest } from '../../machines/recipe-playwright.ts'

const test = suite('a recipe as a Playwright test')

const target = (role: string, name: string, more: Partial<Target> = {}): Target => ({ role, name, alike: 1, ...more })
const written = (steps: Partial<RecipeStep>[], inputs = {}) =>
  playwrightTest('Buy {{goods}}', {
    steps: steps.map((step, group) => ({ tool: 'computer', input: { action: 'left_click' }, group, ...step })),
    inputs,
  } as unknown as RecipeVersion)

test('[J14] inputs are at its top, with the notations of pages; names and addresses have their places', () => {
  const text = written(
    [
      { tool: 'navigate', input: { url: 'shop.example/{{goods:slug}}' } },
      { tool: 'form_input', input: { value: `{{count}} "pieces" \`of\` \${it}` }, target: target('textbox', 'Count') },
    ],
    { goods: 'Green Tea', count: 2 },
  )
  assert.match(text, '"goods": "Green Tea"')
  assert.match(text, '"goods:slug": "green-tea"')
  assert.match(text, `  await page.goto(\`https://shop.example/\${inputs["goods:slug"]}\`)`)
  assert.match(text, `\`\${inputs.count} "pieces" \\\`of\\\` \\\${it}\``)
})

test('[J14] among elements of one name that of its row is meant, banners may be absent, and secrets come from outside', () => {
  const text = written([
    { target: target('button', 'Add', { alike: 3, row: 'Tea | $12.00 | Add' }) },
    { target: target('button', 'Close', { overlay: true }), optional: true },
    { tool: 'form_input', input: { value: '{{secret:pass-word}}' }, target: target('textbox', 'Password') },
    { target: target('clickable', 'More') },
    { tool: 'form_input', input: { value: '2026-01-01' }, target: target('date field', 'Day') },
  ])
  assert.match(
    text,
    'page.getByRole(\'row\').filter({ hasText: like("Tea $# Add") }).getByRole(\'button\', { name: "Add"',
  )
  assert.match(text, 'await ifThere(')
  assert.match(text, `\${secret('pass-word')}`)
  assert.match(text, 'page.getByText("More", { exact: true }).click()')
  assert.match(text, 'page.getByLabel("Day", { exact: true })')
})

test('[J14] it expects what the recipe does, answers dialogs before they come, and throws where nothing is like a step', () => {
  const text = written([
    {
      target: target('button', 'Pay'),
      terms: { form: null, fields: [], lines: ['$12'] },
      expect: { url: 'https://a/order/*?id', lines: ['heading "Thank you # times"', 'text "Bye"'] },
    },
    { tool: 'dialog', input: { accept: true } },
    { tool: 'tabs', input: { action: 'switch', tab: 2 } },
    { tool: 'get_page_text', input: {}, reads: true },
  ])
  const lines = text.split('\n').map((line) => line.trim())
  const clicked = lines.findIndex((line) => line.includes('.click()'))
  const listens = lines.findIndex((line) => line.includes("page.once('dialog', (dialog) => dialog.accept())"))
  assert.ok(listens > 0 && listens < clicked, text)
  assert.is(lines[clicked + 1], 'await expect(page).toHaveURL(address("https://a/order/*"))')
  assert.is(
    lines[clicked + 2],
    'await expect(page.getByRole(\'heading\', { name: like("Thank you # times") }).first()).toBeVisible()',
  )
  assert.match(text, 'throw new Error("Not exported: tabs switch")')
  assert.match(text, 'Cannot be undone')
  assert.not.match(text, 'get_page_text')
})

test('[J14] no text of a page leaves its comment or its string', () => {
  const evil = `x";\u2028evil()//\n\u2029evil()\r\`\${evil()}`
  const text = written(
    [
      {
        target: target('button', evil, { alike: 2, row: evil }),
        expect: { url: null, lines: [`heading ${JSON.stringify(evil)}`] },
      },
      { input: { action: 'key', text: `Enter\nevil()` }, target: target('textbox', evil) },
      { tool: 'form_input', input: { value: `{{evil}}${evil}` }, target: target('textbox', evil) },
    ],
    { evil },
  )
  // Parsed anew it has no comments; what is left outside of strings is what would run.
  const { code } = transformSync(text, { loader: 'ts' })
  assert.match(code, 'evil()')
  assert.not.match(code.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, ''), 'evil')
})

test.run()
