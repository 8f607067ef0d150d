import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Inspection } from '../../actors/inspection/inspection.ts'
import { openMetrics } from '../../src/metrics.ts'

const test = suite('deploy')

const read = (name: string) => readFileSync(`deploy/${name}`, 'utf8')
const readme = readFileSync('README.md', 'utf8')

test('every setting in the deployment files is one that the README lists', () => {
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
    .filter((name) => name !== 'UV_THREADPOOL_SIZE')
  assert.ok(names.length > 8)
  assert.equal(
    names.filter((name) => !readme.includes(`\`${name}\``)),
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

test('alert rules use metrics that the service has', async () => {
  const about = { version: 'dev', prices: { costUsd: () => null } }
  const { text } = await openMetrics(new Inspection({ clock: { now: () => 0 }, log: { warn() {} } }), about).read()
  const names = [...read('prometheus-alerts.yaml').matchAll(/\b((?:browser_task|nodejs|process)_\w+)/g)].map(
    ([, name = '']) => name,
  )
  assert.ok(names.length > 7)
  for (const name of names) assert.ok(text.includes(`# TYPE ${name.replace(/_count$/, '')} `), name)
})

test.run()
