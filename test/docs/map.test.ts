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

test('every folder of src and actors is on the map', () => {
  const linked = linksOf('docs/map.md').map((target) => target.replace('../', ''))
  const folders = ['src', 'actors'].flatMap((floor) =>
    readdirSync(floor, { withFileTypes: true }).flatMap((each) =>
      each.isDirectory() ? [`${floor}/${each.name}`] : [],
    ),
  )
  const missing = folders.filter((name) => !linked.includes(name))
  assert.equal(missing, [])
})

test.run()
