import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Ground, Live } from '../../support/live.ts'
import { Api } from '../../support/service/api.ts'

/** What the service answers outside `/v1`, with its type: pages for people, and what machines read of them. */
const PAGES = [
  ['/dashboard', 'text/html'],
  ['/docs', 'text/html'],
  ['/docs/api', 'text/html'],
  ['/docs/metrics', 'text/html'],
  ['/docs/machines', 'text/html'],
  ['/pair/x', 'text/html'],
  ['/inspector', 'text/html'],
  ['/metrics', 'text/plain'],
  ['/static/style.css', 'text/css'],
  ['/openapi.json', 'application/json'],
] as const

/** Which paths exist outside `/v1`, and that no other does. The same on every ground; the service is closed by those who come after. */
export function paths(ground: Ground, live: Live) {
  const test = suite(`paths: ${ground.transport}, ${ground.store}`)
  const anybody = new Api(live.service.url, '')

  test('[E2 P1 P4 P5] the document names what lies under /v1; pages lie elsewhere, and nothing else is there', async () => {
    const { json } = await anybody.get('/openapi.json')
    const paths = Object.keys(json.paths)
    assert.ok(paths.length > 10 && paths.every((path) => path.startsWith('/v1/')))
    for (const [path, type] of PAGES) {
      const { headers } = await anybody.get(path)
      assert.ok(headers['content-type']?.startsWith(type), `${path}: ${headers['content-type']}`)
    }
    assert.is((await anybody.get('/')).headers.location, '/dashboard')
    const { api } = await live.workspace()
    for (const path of ['/inspector/nowhere', '/static/', '/v1'])
      assert.is((await api.get(path)).json?.code, 'not_found', path)
    // [P34] A person reads these.
    for (const path of ['/dashboard/nowhere', '/docs/nowhere']) {
      const { status, headers } = await api.get(path)
      assert.equal([status, headers['content-type']?.split(';')[0]], [404, 'text/html'], path)
    }
  })
  test('[P3 E14] no path leads out of the static files, however it is written', async () => {
    for (const path of [
      '/static/../package.json',
      '/static/..%2f..%2fpackage.json',
      '/static/%2e%2e/%2e%2e/package.json',
      '/static/..%5c..%5cpackage.json',
      '/static/%00',
      '/static/style.css%00.png',
      '/static//etc/passwd',
      '/static',
      '/../../../etc/passwd',
      '/%2e%2e/package.json',
    ]) {
      const { status, raw } = await anybody.get(path)
      assert.ok([401, 404].includes(status), `${path}: ${status}`)
      assert.not.match(String(raw), /browser-task-service|root:/)
    }
  })

  test.run()
}
