import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('map')

const pages = [
  'README.md',
  'docs/map.md',
  'docs/extending.md',
  'docs/operations.md',
  ...readdirSync('docs/decisions').map((name) => `docs/decisions/${name}`),
]
const linksOf = (page: string) =>
  [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !target.includes('://'))

for (const page of pages)
  test(`${page} links to nothing that is not there`, () => {
    const missing = linksOf(page).filter((target) => !existsSync(join(page, '..', target)))
    assert.equal(missing, [])
  })

test('every room of src is on the map', () => {
  const linked = linksOf('docs/map.md')
  const files = readdirSync('src', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const rooms = new Set(files.map(({ parentPath, name }) => join(parentPath, name).split('/')[1]))
  const missing = [...rooms].filter((name) => !linked.includes(`../src/${name}`))
  assert.equal(missing, [])
})

test('every machine is on the map', () => {
  const linked = linksOf('docs/map.md')
  const machines = readdirSync('machines').filter((name) => !linked.includes(`../machines/${name}`))
  assert.equal(machines, [])
})

test('every file of actors is on the map', () => {
  const linked = linksOf('docs/map.md')
  const missing = readdirSync('actors', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => !linked.includes(`../actors/${name}`))
  assert.equal(missing, [])
})

test.run()
