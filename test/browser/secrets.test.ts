import * as assert from 'uvu/assert'
import type { FrameSecret } from '../../machines/secrets.ts'
import { ToolError } from '../../src/browser/act/cdp.ts'
import { FILL } from '../../src/browser/act/scripts/secret.ts'
import { browserSuite, type Driven } from '../support/driven-browser.ts'
import { openSignInPages } from '../support/sign-in.ts'

const test = browserSuite('secrets in a real browser')
const pages = await openSignInPages()

const VALUE = 'Tr0ub4dor &3 "ü"'
const password: FrameSecret = { name: 'password', value: VALUE, domains: [pages.domain] }
const P = '{{secret:password}}'

/** Runs a tool with a secret: its words and those of the page, also of an error. */
async function fill(it: Driven, tool: string, input: Record<string, unknown>, secrets = [password]): Promise<string> {
  const never = new AbortController().signal
  const answer = await it.tabs.execute('task', tool, input, never, null, secrets).catch((error: unknown) => {
    assert.instance(error, ToolError)
    const { message, content } = error as ToolError
    return { said: `Error: ${message}`, content }
  })
  return `${answer.said}\n${answer.content}`
}
/** Compared in the page: the browser would not tell the value. */
const holds = (it: Driven, expression: string, value: string) => it.value(`${expression} === ${JSON.stringify(value)}`)
const open = (it: Driven, url: string) => it.text('navigate', { url })
const typed = (who: 'own' | 'foreign') => pages.told[who].filter((each) => each.includes('Tr0'))

for (const [tool, inputs] of Object.entries({
  form_input: (ref: string) => ({ ref, value: P }),
  computer: (ref: string) => ({ action: 'type', ref, text: P, clear: true }),
})) {
  test(`[X4] ${tool} puts the value into the field of a page of its domains, and answers with the placeholder`, async (it) => {
    await open(it, pages.own)
    const ref = await it.ref(/Password/)
    const answer = await fill(it, tool, inputs(ref))
    assert.match(answer, /\{\{secret:password\}\}/)
    assert.not.match(answer, /Tr0ub|Error/)
    assert.ok(await holds(it, `document.querySelector('[name=password]').value`, VALUE))
    assert.is(await it.value(`getComputedStyle(document.querySelector('[name=password]')).webkitTextSecurity`), 'disc')
    pages.told.own.length = 0
  })

  test(`[X12] ${tool}: what is read of a password does not tell its length`, async (it) => {
    const readings: string[] = []
    for (const value of ['Tr0ub', 'Tr0ub4dor-and-much-longer-than-that']) {
      await open(it, pages.own)
      const ref = await it.ref(/Password/)
      const { domains } = password
      const said = await fill(it, tool, inputs(ref), [{ name: 'password', value, domains }])
      const typedOpenly = await it.text('computer', { action: 'type', text: 'x'.repeat(value.length) })
      readings.push([said, typedOpenly.replace(/x+…?/, ''), await it.text('read_page', {})].join('\n'))
    }
    assert.match(readings[0] ?? '', '"••••••••"')
    assert.is(readings[0]?.match(/•+/g)?.join(), readings[1]?.match(/•+/g)?.join())
  })

  test(`[X4] ${tool}: a page of another origin gets nothing`, async (it) => {
    await open(it, pages.foreign)
    const answer = await fill(it, tool, inputs(await it.ref(/Password/)))
    assert.match(answer, /Error: Nothing was typed: the secret password is only for fields on pages of 127\.0\.0\.1/)
    assert.is(await it.value(`document.querySelector('[name=password]').value`), '')
  })

  for (const [path, why] of [
    ['/around', /localhost:\d+ within http:\/\/127\.0\.0\.1/],
    ['/sandboxed', /null/],
    ['/data', /null/],
  ] as const)
    test(`[X4] ${tool}: a frame in ${path} of an allowed page gets nothing`, async (it) => {
      await open(it, pages.own + path)
      const answer = await fill(it, tool, inputs(await it.ref(/Password/)))
      assert.match(answer, /Error: Nothing was typed/)
      assert.match(answer, why)
    })

  test(`[X4] ${tool}: an allowed page within a foreign one gets nothing; within its own it does`, async (it) => {
    await open(it, `${pages.foreign}/around`)
    assert.match(await fill(it, tool, inputs(await it.ref(/Password/))), /Error: Nothing was typed/)
    await open(it, `${pages.own}/around-own`)
    assert.not.match(await fill(it, tool, inputs(await it.ref(/Password/))), /Error/)
    assert.ok(
      await holds(it, `document.querySelector('iframe').contentDocument.querySelector('[name=password]').value`, VALUE),
    )
  })

  test(`[X4] ${tool}: a page that leaves, or hands the focus on to a foreign frame, takes nothing along`, async (it) => {
    await open(it, `${pages.own}/leaves`)
    await fill(it, tool, inputs(await it.ref(/Password/)))
    await open(it, `${pages.own}/hands-on`)
    await fill(it, tool, inputs(await it.ref(/Password/)))
    assert.equal(typed('foreign'), [])
  })
}

test.both(
  '[X10] HTTP authentication: the model reads how it is answered; a secret answers for its own domains alone',
  async (it) => {
    const asked = await it.failure('navigate', { url: `${pages.own}/basic` })
    assert.match(asked, /The site asks for a user name and a password \(HTTP authentication\): navigate takes them/)
    pages.told.own.length = 0
    const input = { user: 'ada', password: P }
    const answer = await fill(it, 'navigate', { url: `${pages.own}/basic`, ...input })
    assert.match(answer, /Signed in/)
    assert.equal(pages.told.own, [`basic ada:${VALUE}`])
    assert.not.match(answer, /Tr0ub/)
    assert.not.match(String(await it.value('location.href + document.body.innerText')), /ada|Tr0ub|secret/)
    assert.match(
      await fill(it, 'navigate', { url: `${pages.foreign}/basic`, ...input }),
      /Error: Not opened: the secret password is only for/,
    )
    await fill(it, 'navigate', { url: `${pages.own}/basic-away`, ...input })
    assert.equal(
      pages.told.foreign.filter((each) => each.startsWith('basic')),
      [],
    )
  },
)

test('[X10] HTTP authentication with words of the task', async (it) => {
  assert.match(
    await fill(it, 'navigate', { url: `${pages.foreign}/basic`, user: 'admin', password: 'a:b@c/%' }, []),
    /Signed in/,
  )
  assert.equal(
    pages.told.foreign.filter((each) => each.startsWith('basic')),
    ['basic admin:a:b@c/%'],
  )
})

test('[X4] typed where the focus is, box by box, and not at all where no text field has it', async (it) => {
  await open(it, `${pages.own}/boxes`)
  const code: FrameSecret = { name: 'code', value: '287082', domains: [pages.domain] }
  const input = { action: 'type', text: '{{secret:code}}' }
  assert.match(await fill(it, 'computer', input, [code]), /Error: Nothing was typed: a secret goes into a text field/)
  await it.run('computer', { action: 'left_click', ref: await it.ref(/Digit/) })
  assert.not.match(await fill(it, 'computer', input, [code]), /Error/)
  assert.ok(await holds(it, `[...document.querySelectorAll('.box')].map((box) => box.value).join('')`, '287082'))
  assert.is(await it.value(`document.getElementById('code').textContent`), 'complete')
})

test('[X4] the script that types looks at the origins itself: where another document is, nothing is typed', async (it) => {
  await open(it, pages.own)
  const fillWith = (origins: readonly string[]) =>
    it.value(`(${FILL})(document.querySelector('[name=user]'), ${JSON.stringify(origins)}, 'typed', true, false)`)
  for (const origins of [[], [pages.foreign], [pages.own, pages.own]]) assert.is(await fillWith(origins), 'moved')
  assert.is(await it.value(`document.querySelector('[name=user]').value`), '')
  assert.is(await fillWith([pages.own]), 'all')
})

test('[X4] a part of a text, beside others; a select takes none', async (it) => {
  await open(it, pages.own)
  const ref = await it.ref(/User/)
  await fill(it, 'form_input', { ref, value: `ada:${P}` })
  assert.ok(await holds(it, `document.querySelector('[name=user]').value`, `ada:${VALUE}`))
  await it.open('/form')
  const select = await it.ref(/combobox|select/i)
  const own = { ...password, domains: [new URL(it.pages.origin).host] }
  assert.match(await fill(it, 'form_input', { ref: select, value: P }, [own]), /takes no secret/)
})

await test.run()
