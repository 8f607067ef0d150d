import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Inspection } from '../../actors/inspection/inspection.ts'
import { openMetrics } from '../../src/observe/metrics.ts'
import { ENTRY } from '../support/built.ts'

const test = suite('deploy')

const read = (name: string) => readFileSync(`deploy/${name}`, 'utf8')
const settings = readFileSync('docs/settings.md', 'utf8')

test('every setting in the deployment files is one that docs/settings.md lists', () => {
  const unit = [...read('browser-task.service').matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs = '']) =>
    pairs.split(' '),
  )
  const image = [...read('Containerfile').matchAll(/^ENV (.*)$/gm)].flatMap(([, pairs = '']) => pairs.split(' '))
  const names = [
    ...unit,
    ...image,
    ...read('service.env')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line)),
  ]
    .map((pair) => pair.split('=')[0] ?? '')
    .filter((name) => !['UV_THREADPOOL_SIZE', 'PATH', 'HOME'].includes(name))
  assert.ok(names.length > 8)
  assert.equal(
    names.filter((name) => !settings.includes(`\`${name}\``)),
    [],
  )
})

test('everything that the image is made of exists, and the published package has all of it', () => {
  const copied = [...read('Containerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  assert.ok(copied.includes('src'))
  assert.equal(
    copied.filter((name) => !existsSync(name)),
    [],
  )
})

/** All that `/metrics` has, with the labels of each. */
async function exported(): Promise<ReadonlyMap<string, string>> {
  const about = { version: 'dev', prices: { costUsd: () => null } }
  const { text } = await openMetrics(new Inspection({ clock: { now: () => 0 }, log: { warn() {} } }), about).read()
  return new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
}

/** The metrics that an expression reads and the service does not have. */
function unknownIn(expressions: string, metrics: ReadonlyMap<string, string>): string[] {
  const names = [...expressions.matchAll(/\b((?:browser_task|nodejs|process)_\w+)/g)].map(([, name = '']) => name)
  assert.ok(names.length > 0)
  return names.filter((name) => {
    const histogram = /^(.*)_(?:bucket|count|sum)$/.exec(name)?.[1]
    return !metrics.has(name) && metrics.get(histogram ?? '') !== 'histogram'
  })
}

test('[O8] alert rules and the dashboard use metrics that the service has', async () => {
  const metrics = await exported()
  assert.equal(unknownIn(read('prometheus-alerts.yaml'), metrics), [])
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as { panels: { targets: { expr: string }[] }[] }
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n')
  assert.equal(unknownIn(read('grafana-dashboard.json'), metrics), [])
  // The labels of the build are the only ones that the page shows and no panel.
  const own = [...metrics.keys()].filter((name) => name.startsWith('browser_task_'))
  const left = own.filter((name) => !expressions.includes(name))
  assert.equal(left, ['browser_task_bus_bytes_total', 'browser_task_build_info'])
})

test('[Z1] browsers on call are scaled by metrics that the service has, and started with options of the command', async () => {
  const manifest = read('kubernetes/browsers.yaml')
  assert.equal(unknownIn(manifest.replaceAll('browser_task_pool_wanted', ''), await exported()), [])
  const given = [...`${manifest}${read('compose.yaml')}`.matchAll(/(?:args|command): (\[.*\])/g)]
  const options = given.flatMap(([, list = '']) =>
    (JSON.parse(list) as string[]).filter((each) => each.startsWith('--')),
  )
  assert.equal([...new Set(options)], ['--service', '--pool', '--tasks'])
  const { stdout } = spawnSync(process.execPath, [ENTRY, 'browser', '--help'], { encoding: 'utf8' })
  for (const option of options) assert.match(stdout, option)
  assert.match(read('Containerfile'), /^FROM \S+ AS browser$/m, 'the image that both are built of')
})

const checks = [
  ['promtool', 'check', 'rules', 'deploy/prometheus-alerts.yaml'],
  ['promtool', 'test', 'rules', 'deploy/prometheus-alerts.test.yaml'],
  // The token's file is the operator's.
  ['promtool', 'check', 'config', '--syntax-only', 'deploy/prometheus.yaml'],
  ['amtool', 'check-config', 'deploy/alertmanager.yaml'],
  ['kubernetes-validate', '--strict', 'deploy/kubernetes/browsers.yaml'],
] as const
const isThere = (tool: string) => spawnSync(tool, ['--version']).status === 0
const [able, unable] = [checks.filter(([tool]) => isThere(tool)), checks.filter(([tool]) => !isThere(tool))]
for (const [tool, ...args] of able)
  test(`[O8] ${tool} ${args.join(' ')}`, () => {
    const { status, stdout, stderr } = spawnSync(tool, args, { encoding: 'utf8' })
    assert.is(status, 0, stdout + stderr)
  })

test.run()
if (unable.length > 0) console.log(`SKIPPED ${unable.length} promtool, amtool or kubernetes-validate is not installed`)
