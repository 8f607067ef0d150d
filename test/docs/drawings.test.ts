import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { commentAbove, machinesPage } from '../../docs/drawings.ts'
import { statecharts } from '../../docs/statecharts/statecharts.ts'

const test = suite('drawings')
const page = await machinesPage('machines')
const charts = await statecharts('machines')

for (const [folder, files] of Object.entries({
  'docs/machines': new Map([['README.md', page]]),
  'src/observe/inspector/drawings': charts,
})) {
  for (const [name, text] of files)
    test(`${folder}/${name} is what its machine is now (npm run docs)`, () => {
      const kept = readdirSync(folder).includes(name) ? readFileSync(`${folder}/${name}`, 'utf8') : null
      assert.ok(kept === text, `${folder}/${name} is stale`)
    })

  test(`no drawing is left in ${folder} of a machine that is gone`, () => {
    assert.equal(
      readdirSync(folder).filter((name) => !files.has(name)),
      [],
    )
  })
}

test('the same code gives the same drawings', async () => {
  assert.is(await machinesPage('machines'), page)
  // Of all machines it would take twice as long.
  const again = await statecharts('machines', ['call'])
  assert.is(again.get('call.svg'), charts.get('call.svg'))
})

test('the page shows each drawing, and nothing that is not there', () => {
  const shown = [...page.matchAll(/\]\(\.\.\/\.\.\/src\/observe\/inspector\/drawings\/([^)]+)\)/g)].map(
    ([, name]) => name,
  )
  assert.equal(
    shown,
    [...charts.keys()].filter((name) => name.endsWith('.svg')),
  )
})

test('the comment above a machine is found, and no other', () => {
  const source = `/** Not this. */\nconst a = 1\n/**\n * One [D1].\n * Two.\n */\nexport const aMachine = 1\nexport const bMachine = 2`
  assert.is(commentAbove(source, 'aMachine'), 'One [D1].\nTwo.')
  assert.is(commentAbove(source, 'bMachine'), '')
})

test.run()
