import type { RecipeStep, RecipeVersion, Target } from './recipe.ts'
import { stepWords } from './recipe-play.ts'
import { filledText } from './recipe-text.ts'

/** Where the `name` of a line begins: `heading "Thank you"`. */
const LINE = /^([a-z][a-z ]*?) ("(?:[^"\\]|\\.)*")$/
/** A place for an input, or for a secret. */
const PLACE = /\{\{(secret:)?([\w-]+)(?::([a-zA-Z0-9./-]+))?\}\}/g
/** What the service calls so is a role of ARIA; Playwright finds nothing by other names. */
const ROLES =
  /^(alert|alertdialog|article|banner|button|cell|checkbox|columnheader|combobox|complementary|contentinfo|dialog|form|group|heading|img|link|list|listbox|listitem|main|menuitem|menuitemcheckbox|menuitemradio|navigation|option|radio|region|row|rowheader|search|searchbox|slider|spinbutton|status|switch|tab|tabpanel|textbox|treeitem)$/
const KEYS: Readonly<Record<string, string>> = {
  ...{ ctrl: 'Control', control: 'Control', cmd: 'Meta', command: 'Meta', meta: 'Meta', alt: 'Alt', option: 'Alt' },
  ...{ shift: 'Shift', return: 'Enter', enter: 'Enter', esc: 'Escape', escape: 'Escape', tab: 'Tab', space: 'Space' },
  ...{ backspace: 'Backspace', delete: 'Delete', up: 'ArrowUp', down: 'ArrowDown', left: 'ArrowLeft' },
  ...{ right: 'ArrowRight', home: 'Home', end: 'End', page_up: 'PageUp', page_down: 'PageDown' },
}
const MOVES: Readonly<Record<string, string>> = { back: 'goBack', forward: 'goForward', reload: 'reload' }

/** Functions of the test, by their names: it has those that it calls. */
const HELPERS: Readonly<Record<string, string>> = {
  secret: `/** Secrets come from the environment: SECRET_NAME. */
function secret(name: string): string {
  const value = process.env[\`SECRET_\${name.toUpperCase().replaceAll('-', '_')}\`]
  if (value === undefined) throw new Error(\`Set SECRET_\${name.toUpperCase().replaceAll('-', '_')}\`)
  return value
}`,
  address: `/** An address of this shape: \`*\` is an id. */
function address(shape: string): RegExp {
  const path = encodeURI(shape).replace(/[.+^\${}()|[\\]\\\\]/g, '\\\\$&').replaceAll('*', '[^/?#]*')
  return new RegExp(\`^\${path}(?:[?#].*)?$\`)
}`,
  like: `/** A text like this: \`#\` is a number. */
function like(text: string): RegExp {
  const words = text.trim().split(/\\s+/).map((word) => word.replace(/[.*+?^\${}()|[\\]\\\\]/g, '\\\\$&').replaceAll('#', '[\\\\d.,:/-]*\\\\d'))
  return new RegExp(words.join('\\\\s*'), 'i')
}`,
  fill: `/** Sets a field of any kind. */
async function fill(field: Locator, value: string | number | boolean): Promise<void> {
  const kind = await field.evaluate((element) =>
    element.localName === 'select' ? 'select' : element.matches('[type=checkbox], [type=radio], [role=checkbox], [role=switch], [role=radio]') ? 'box' : 'text',
  )
  if (kind === 'box') return field.setChecked(value === true || value === 'true')
  if (kind === 'text') return field.fill(String(value))
  const options = await field.locator('option').evaluateAll((all) => all.map((each) => [(each as HTMLOptionElement).value, each.textContent?.trim() ?? '']))
  const wanted = String(value).toLowerCase()
  const is = (test: (text: string) => boolean) => options.findIndex((texts) => texts.some((text) => test(text.toLowerCase())))
  const exact = is((text) => text === wanted)
  await field.selectOption({ index: exact >= 0 ? exact : is((text) => text.startsWith(wanted)) })
}`,
  ifThere: `/** A banner may be absent. */
async function ifThere(target: Locator, act: (target: Locator) => Promise<void>): Promise<void> {
  const isThere = await target.waitFor({ timeout: 1_000 }).then(() => true, () => false)
  if (isThere) await act(target)
}`,
}

/**
 * [J14] A version of a recipe as a Playwright test in TypeScript, with its inputs at the top. It runs as it is; what it cannot
 * express fails there with its reason.
 */
export function playwrightTest(title: string, { steps, inputs }: RecipeVersion): string {
  const used = new Set<string>()
  const written = new Map<string, string>()
  const use = (helper: string): string => {
    used.add(helper)
    return helper
  }
  const text = (value: string): string => {
    if (!value.includes('{{')) return JSON.stringify(value)
    const parts = value.split(PLACE)
    return `\`${parts
      .map((part, at) => {
        const [isSecret, name = '', form] = [part, parts[at + 1], parts[at + 2]]
        if (at % 4 === 0) return (part ?? '').replaceAll(/[\\`]|\$\{/g, '\\$&')
        if (at % 4 !== 1) return ''
        if (isSecret) return `\${${use('secret')}('${name}')}`
        const key = form ? `${name}:${form}` : name
        if (form) written.set(key, filledText(`{{${key}}}`, inputs))
        return `\${inputs${/^[a-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`}}`
      })
      .join('')}\``
  }
  const locator = (target: Target): string => locatorOf(target, text, use)
  const body = steps.flatMap((step, at) => {
    const lines = linesOf(step, { text, locator, use })
    return lines.length === 0
      ? []
      : [`// ${at + 1}. ${inOneLine(stepWords(step, null))}`, ...expectedDialog(steps[at + 1]), ...lines]
  })
  const top = Object.entries({ ...inputs, ...Object.fromEntries(written) })
  const helpers = Object.keys(HELPERS).filter((name) => used.has(name))
  const types = helpers.some((name) => name === 'fill' || name === 'ifThere') ? ', type Locator' : ''
  return [
    `import { expect${types}, test } from '@playwright/test'`,
    '',
    '/** Values of the run that this test was made of; `name:form` is the same value as the pages write it. */',
    `const inputs = ${JSON.stringify(Object.fromEntries(top), null, 2)}`,
    '',
    `test(${JSON.stringify(title)}, async ({ page }) => {`,
    ...body.map((line) => `  ${line}`),
    '})',
    ...helpers.flatMap((name) => ['', HELPERS[name] ?? '']),
    '',
  ].join('\n')
}

/** A comment ends with its line: what a page says after that would be run. */
const inOneLine = (text: string): string => text.replaceAll(/[\r\n\u2028\u2029]/g, ' ')

interface Writing {
  readonly text: (value: string) => string
  readonly locator: (target: Target) => string
  readonly use: (helper: string) => string
}

/** Playwright answers dialogs by a listener that is there before them. */
const expectedDialog = (next: RecipeStep | undefined): string[] =>
  next?.tool === 'dialog'
    ? [`page.once('dialog', (dialog) => dialog.${next.input.accept ? 'accept' : 'dismiss'}())`]
    : []

function linesOf(step: RecipeStep, writing: Writing): string[] {
  if (step.reads || step.tool === 'dialog') return []
  const warning = step.terms
    ? ['// Cannot be undone. A recipe compares what is to be paid here; this test does not.']
    : []
  return [...warning, actOf(step, writing), ...expectationsOf(step, writing)]
}

function actOf(step: RecipeStep, writing: Writing): string {
  const { tool, input, target, optional } = step
  if (tool === 'navigate') {
    const url = String(input.url).trim()
    const move = MOVES[url.toLowerCase()]
    return move
      ? `await page.${move}()`
      : `await page.goto(${writing.text(/^[a-z]+:|^\{\{/i.test(url) ? url : `https://${url}`)})`
  }
  const call = target && callOn(step, writing)
  if (!target || !call) return `throw new Error(${JSON.stringify(`Not exported: ${stepWords(step, null)}`)})`
  const on = writing.locator(target)
  return optional ? `await ${writing.use('ifThere')}(${on}, (target) => ${call('target')})` : `await ${call(on)}`
}

/** What is called on the locator of a step; `null`: Playwright has nothing like it. */
function callOn({ tool, input, toTarget }: RecipeStep, writing: Writing): ((on: string) => string) | null {
  const { text, locator, use } = writing
  const { action, value, text: typed = '', name } = input
  if (tool === 'form_input') {
    const written = typeof value === 'string' ? text(value) : JSON.stringify(value)
    return (on) => `${use('fill')}(${on}, ${written})`
  }
  if (tool === 'files') return (on) => `${on}.setInputFiles(${text(String(name))})`
  const click = CLICKS[String(action)]
  if (click) return (on) => `${on}.${click}`
  if (action === 'left_click_drag' && toTarget) return (on) => `${on}.dragTo(${locator(toTarget)})`
  if (action === 'type') return (on) => `${on}.${input.clear ? 'fill' : 'pressSequentially'}(${text(String(typed))})`
  if (action === 'key') return (on) => `${on}.press(${JSON.stringify(keyOf(String(typed)))})`
  return null
}
const CLICKS: Readonly<Record<string, string>> = {
  left_click: 'click()',
  right_click: "click({ button: 'right' })",
  double_click: 'dblclick()',
  triple_click: 'click({ clickCount: 3 })',
  hover: 'hover()',
}

const keyOf = (text: string): string =>
  text
    .split('+')
    .map((part) => KEYS[part.trim().toLowerCase()] ?? part.trim())
    .join('+')

function expectationsOf({ expect, terms }: RecipeStep, { text, use }: Writing): string[] {
  if (!expect) return []
  const headings = terms ? expect.lines.filter((line) => line.startsWith('heading ')) : []
  const lines = (headings.length > 0 ? headings : expect.lines).flatMap((line) => {
    const [, role = '', name = ''] = LINE.exec(line) ?? []
    if (role === '') return []
    const pattern = `${use('like')}(${text(JSON.parse(name) as string)})`
    return [ROLES.test(role) ? `page.getByRole('${role}', { name: ${pattern} })` : `page.getByText(${pattern})`]
  })
  const [first, ...others] = lines
  const url = expect.url !== null && /^https?:/.test(expect.url) ? expect.url.replace(/\?.*$/, '') : null
  return [
    ...(url === null ? [] : [`await expect(page).toHaveURL(${use('address')}(${text(url)}))`]),
    ...(first === undefined
      ? []
      : [`await expect(${[first, ...others.map((line) => `or(${line})`)].join('.')}.first()).toBeVisible()`]),
  ]
}

/** The element by its role and name, in its row or item where there are several; fields without a role by their label. */
function locatorOf(target: Target, text: Writing['text'], use: Writing['use']): string {
  const { role, name, label, attribute, frame, row, item, alike } = target
  const path = frame?.startsWith('http') ? new URL(frame.replaceAll('*', '')).pathname : null
  const root =
    frame === undefined
      ? 'page'
      : `page.frameLocator(${JSON.stringify(path === null ? 'iframe' : `iframe[src*="${path}"]`)})`
  const place = row ?? item
  const around = row === undefined ? ITEMS : "getByRole('row')"
  const scope =
    place === undefined || alike < 2
      ? root
      : `${root}.${around}.filter({ hasText: ${use('like')}(${text(numberless(place.replaceAll(' | ', ' ')).replace(/…$/, ''))}) })`
  if (ROLES.test(role)) {
    const named = name === '' ? '' : `, { name: ${text(name)}, exact: true }`
    return `${scope}.getByRole('${role}'${named})`
  }
  if (!role.endsWith(' field')) return `${scope}.getByText(${text(name)}, { exact: true })`
  return name || label
    ? `${scope}.getByLabel(${text(name || label || '')}, { exact: true })`
    : `${scope}.locator(${JSON.stringify(`[name="${attribute ?? ''}"]`)})`
}
const ITEMS = "locator('li, article, option, [role=listitem], [role=article], [role=option], [role=treeitem]')"

/** Places keep the digits of their names. */
const numberless = (text: string): string =>
  text.replaceAll(/\{\{[^}]*\}\}|\p{N}+(?:[.,:/-]?\p{N}+)*/gu, (part) => (part.startsWith('{{') ? part : '#'))
