import { readdirSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WRITTEN } from '../../src/web/docs/frame.ts'
import { searchPage, sectionsOf } from '../../src/web/docs/search.ts'
import { ask, depsOf, type Fakes, HOSTILE, isPage, serve, taskOf } from './world.ts'

const test = suite('pages')
const closing: (() => Promise<void>)[] = []
test.after(async () => {
  for (const close of closing) await close()
})

async function served(deps: Fakes = {}): Promise<number> {
  const { port, close } = await serve(depsOf(deps))
  closing.push(close)
  return port
}

test('[P1] / leads to /dashboard', async () => {
  const answer = await ask(await served(), '/')
  assert.is(answer.status, 302)
  assert.is(answer.headers.location, '/dashboard')
})

test('[P1] /dashboard asks a stranger to sign in', async () => {
  const answer = await ask(await served(), '/dashboard')
  isPage(answer)
  assert.match(answer.text, /action="\/dashboard\/sign-in"/)
  assert.match(answer.text, /action="\/dashboard\/sign-up"/)
  assert.not.match(answer.text, /Google/)
  assert.match(
    (await ask(await served({ providers: [{ id: 'google', name: 'Google' }] }), '/dashboard')).text,
    /sign-in\/social\?provider=google/,
  )
})

test('[P1] /dashboard says so when sign-in is not configured', async () => {
  const port = await served({ accounts: null })
  const answer = await ask(port, '/dashboard')
  isPage(answer)
  assert.match(answer.text, /BETTER_AUTH_SECRET/)
  assert.is((await ask(port, '/dashboard/sign-in', { method: 'POST' })).status, 404)
})

test('[P1] [P10] the pages of tasks name their workspace and task, every text escaped', async () => {
  const id = '00000000-0000-4000-8000-00000000000a'
  const port = await served({
    taskService: {
      task: async (workspaceId, taskId) =>
        workspaceId === 'w-2' && taskId === id
          ? taskOf({ id, task: `Buy ${HOSTILE}${'x'.repeat(200)}`, door: 'http', webhookUrl: null })
          : null,
    },
  })
  const cookie = { headers: { cookie: 'ann' } }
  const list = await ask(port, '/dashboard', cookie)
  isPage(list)
  assert.match(list.text, /data-props="{&quot;page&quot;:&quot;tasks&quot;,&quot;workspaceId&quot;:&quot;w-1&quot;/)
  // It is found in each of the viewer's workspaces.
  const task = await ask(port, `/dashboard/tasks/${id}`, cookie)
  isPage(task)
  assert.match(task.text, /&quot;workspaceId&quot;:&quot;w-2&quot;/)
  assert.match(task.text, /<h1[^>]*>Buy &lt;script&gt;/)
  assert.ok((/<title>([^<]*)/.exec(task.text)?.[1]?.length ?? 0) < 250)
  for (const { text } of [list, task]) assert.not.ok(text.includes(HOSTILE))
  isPage(await ask(port, `/dashboard/tasks/${id.replace('a', 'b')}`, cookie), 404)
  assert.is((await ask(port, `/dashboard/tasks/${id}`)).status, 302)
})

test('[P1] /dashboard shows another workspace of the user, and none of others', async () => {
  const port = await served()
  const shown: string[] = []
  for (const query of ['?workspace=w-2', '?workspace=w-3', '?workspace=', '?workspace=%']) {
    const answer = await ask(port, `/dashboard${query}`, { headers: { cookie: 'ann' } })
    isPage(answer)
    shown.push(/workspaceId&quot;:&quot;([^&]+)/.exec(answer.text)?.[1] ?? '')
  }
  assert.equal(shown, ['w-2', 'w-1', 'w-1', 'w-1'])
})

test('[P15] /extension.zip is made once, and again after a failure', async () => {
  let made = 0
  const port = await served({
    extensionZip: async () => {
      if (++made === 1) throw new Error('no room')
      return new TextEncoder().encode('zip')
    },
  })
  assert.is((await ask(port, '/extension.zip')).status, 500)
  for (let n = 0; n < 2; n++) {
    const { status, headers, text } = await ask(port, '/extension.zip')
    assert.equal([status, headers['content-type'], text], [200, 'application/zip', 'zip'])
  }
  assert.is(made, 2)
})

test('[P16] an address that a page of the docs had leads to it', async () => {
  const { status, headers } = await ask(await served(), '/docs/configuration')
  assert.equal([status, headers.location], [302, '/docs/settings'])
})

test('[P1] /docs is a page that leads to the OpenAPI document', async () => {
  const answer = await ask(await served(), '/docs')
  isPage(answer)
  assert.match(answer.text, /href="\/openapi.json"/)
})

test('every page of the docs has something to read', async () => {
  const port = await served()
  const { text } = await ask(port, '/docs')
  const nav = text.slice(0, text.indexOf('<div class="text">'))
  const paths = [...nav.matchAll(/<li><a href="(\/docs[^"]*)"/g)].map(([, path = '']) => path)
  assert.ok(
    paths.includes('/docs/settings') && paths.includes('/docs/embedding') && paths.length === WRITTEN.length + 2,
  )
  for (const path of paths.filter((each) => each !== '/docs/api' && each !== '/docs/machines')) {
    const answer = await ask(port, path)
    isPage(answer)
    const words = answer.text.slice(answer.text.indexOf('<div class="text">')).replace(/<[^>]+>/g, '')
    assert.ok(words.length > 1_000, `${path} has ${words.length} characters`)
    assert.not.match(words, /not included in this installation/)
  }
  assert.match((await ask(port, '/docs/settings')).text, /RETENTION_DAYS/)
})

test('[P16] what a search shows of a document is its prose, in whole words: code is found and not shown', () => {
  const code = ['```sh', 'curl -s -X POST $SERVICE/v1/webhook-endpoints', '```']
  const table = ['| Field | Type |', '| :--- | ---: |', '| `url` | text |']
  const before = 'The setting is in the file of the service and takes effect at its next start, as all of them do.'
  const sections = sectionsOf(
    '/docs/x',
    'X',
    ['# Start', before, ...code, ...table, '- One', `* ${'word '.repeat(60)}`].join('\n'),
  )
  const { body } = searchPage({ query: 'q=webhook' }, sections)
  const [, shown = ''] = /<p class="quiet place-of">.*?<\/p><p class="quiet">(.*?)<\/p>/.exec(String(body)) ?? []
  assert.is(shown.replaceAll(/<\/?mark>/g, '').replace(/(word )+…$/, '…'), `${before} One …`)
})

test('[P16] a search says how much it has found of what; a result begins near the first word that is marked', () => {
  const sections = sectionsOf('/docs/x', 'X', `# Start\n${'word '.repeat(20)}webhook_url ${'word '.repeat(60)}`)
  const page = String(searchPage({ query: 'q=webhook' }, sections).body)
  assert.match(page, '<h1>1 result for “webhook”</h1>')
  assert.match(page, '<p class="quiet">… word word word <mark>webhook_url</mark> word')
})

test('[P16] the docs have every topic, are searched, and lead to each other', async () => {
  const port = await served()
  const found = await ask(port, '/docs/search?q=picture.taken')
  isPage(found)
  assert.match(
    found.text,
    /<a href="\/docs\/events\?find=picture\.taken#read-the-events">Read the events<\/a>\n<p class="quiet place-of">Guides › Follow a task<\/p>/,
  )
  assert.match(found.text, '<mark>picture.taken</mark>')
  const events = await ask(port, '/docs/events')
  assert.match(events.text, /<nav class="contents"[\s\S]*<a href="#read-the-events">Read the events<\/a>/)
  const [, next = ''] = /<a rel="next" href="([^"]+)"/.exec(events.text) ?? []
  assert.match((await ask(port, next)).text, '<a rel="prev" href="/docs/events">')
  // The same in three languages is one box; what is said in one has no choice.
  const [box = ''] =
    /<div class="code-box">(?:(?!<\/div>\n<)[\s\S])*data-language[\s\S]*?<\/pre><\/div>/.exec(
      (await ask(port, '/docs/start')).text,
    ) ?? []
  assert.equal(
    [...box.matchAll(/data-language="(\w+)"/g)].map(([, language]) => language),
    ['curl', 'typescript', 'python'],
  )
  assert.is(box.match(/<pre /g)?.length, 3)
  assert.match(box, /data-copy>Copy</)
  const none = await ask(port, `/docs/search?q=${encodeURIComponent(`zzz ${HOSTILE}`)}`)
  isPage(none)
  assert.not.ok(none.text.includes(HOSTILE))
  const { text } = await ask(port, '/docs')
  assert.match(text, /id="a-first-task"/)
  assert.match(text, /<img src="\/docs\/images\/dashboard.png"/)
  for (const [, to = ''] of text.matchAll(/<a href="(\/docs[^"#]*)/g)) assert.is((await ask(port, to)).status, 200, to)
  const image = await ask(port, '/docs/images/dashboard.png')
  assert.equal([image.status, image.headers['content-type']], [200, 'image/png'])
  for (const name of ['..%2f..%2fpackage.json', 'x.png', '../images/dashboard.png'])
    assert.is((await ask(port, `/docs/images/${name}`)).status, 404, name)
})

test('[P34] a person who opens an address that leads nowhere reads a page; every document is served', async () => {
  const port = await served()
  for (const path of [
    '/docs/x',
    '/dashboard/x',
    '/dashboard/',
    '/dashboard/sign-in',
    '/pair/a/b',
    '/invite',
    '/reset',
  ]) {
    const answer = await ask(port, path)
    isPage(answer, 404)
    assert.match(answer.text, 'Page not found', path)
  }
  const opened = { headers: { accept: 'text/html,application/xhtml+xml' } }
  for (const [path, meant] of [
    ['/webhooks', '/dashboard/webhooks'],
    ['/dashboard/browser', '/dashboard/browsers'],
    ['/inspektor', '/inspector'],
    ['/docs/webhoks', '/docs/webhooks'],
    [`/${HOSTILE}`, null],
    ['/x'.repeat(2_000), null],
  ] as const) {
    const answer = await ask(port, encodeURI(path), opened)
    isPage(answer, 404)
    assert.is(/Did you mean <code>([^<]+)</.exec(answer.text)?.[1] ?? null, meant, path.slice(0, 40))
  }
  isPage(await ask(port, '/pair'), 400)
  assert.is((await ask(port, '/favicon.ico')).headers.location, '/static/icon.svg')
  assert.match((await ask(port, '/robots.txt')).text, /^User-agent: \*\nDisallow: \/\n/)
  for (const name of readdirSync('docs').filter((file) => file.endsWith('.md')))
    isPage(await ask(port, `/docs/${name.slice(0, -3)}`))
})

test('[P36] /llms.txt names the document and pages that are there', async () => {
  const port = await served()
  const { status, text } = await ask(port, '/llms.txt')
  assert.is(status, 200)
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path = '']) => path)
  assert.is(links[0], '/openapi.json')
  assert.ok(links.length > 20)
  assert.is(new Set(links).size, links.length)
  for (const path of links.slice(1)) isPage(await ask(port, path))
})

test('[P30] a link that needs a sign-in is gone on to afterwards, and no link from elsewhere chooses where', async () => {
  const port = await served()
  const link = '/dashboard/tasks/a1?workspace=w-2'
  const { status, headers } = await ask(port, link)
  assert.equal([status, headers.location], [302, `/dashboard?next=${encodeURIComponent(link)}`])
  const page = await ask(port, String(headers.location))
  isPage(page)
  assert.is(page.text.split(`name="next" value="${link}"`).length, 4, 'sign in, sign up, key')
  const signIn = (next: string) =>
    ask(port, '/dashboard/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ email: 'ann@example.com', password: 'x', next }).toString(),
    })
  assert.is((await signIn(link)).headers.location, link)
  const inspector = await ask(port, '/inspector?task=a1')
  isPage(inspector, 401)
  assert.match(inspector.text, 'href="/dashboard?next=%2Finspector%3Ftask%3Da1"')
  assert.is((await signIn('/inspector?task=a1')).headers.location, '/inspector?task=a1')
  const search = '/dashboard?q=shop+1999&status=waiting'
  const list = await ask(port, search)
  assert.match(list.text, `name="next" value="${search.replace('&', '&amp;')}"`)
  assert.is((await signIn(search)).headers.location, search)
  for (const path of ['/dashboard', '/dashboard?error=access_denied'])
    assert.not.match((await ask(port, path)).text, 'name="next"')
  for (const evil of [
    '//evil.example',
    '/dashboard?next=%2Fdashboard',
    'https://evil.example',
    '/dashboard//evil.example',
    '/dashboard/\\evil',
    '/docs',
    '/dashboard/../x',
  ])
    assert.is((await signIn(evil)).headers.location, '/dashboard', evil)
})

test('[E4] HEAD of a page has no body; other methods and paths are not pages', async () => {
  const port = await served()
  const head = await ask(port, '/docs', { method: 'HEAD' })
  assert.is(head.status, 200)
  assert.is(head.text, '')
  for (const method of ['POST', 'PUT', 'DELETE']) assert.is((await ask(port, '/docs', { method })).status, 404)
  for (const path of ['/doc', '/pairs/a', '/%2e', '/dash%62oard', '/x'.repeat(2_000)]) {
    assert.is((await ask(port, path)).text, 'not a page', path.slice(0, 40))
  }
})

test('[L27] the dashboard says when no language model is configured', async () => {
  const cookie = { headers: { cookie: 'ann' } }
  assert.not.match((await ask(await served(), '/dashboard', cookie)).text, /No language model/)
  const without = await ask(await served({ modelConfigured: false }), '/dashboard', cookie)
  assert.match(without.text, /role="alert">No language model is configured/)
})

test.run()
