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

interface Segment {
  /** Horizontal: along `x`, at a `y`; otherwise the other way round. */
  readonly isHorizontal: boolean
  readonly at: number
  readonly from: number
  readonly to: number
}

/** The arrows of a drawing, with the segments of their lines. */
const arrowsOf = (svg: string) =>
  [...svg.matchAll(/<g class="edge" data-arrow="\d+" data-from="([^"]+)" data-to="([^"]+)".*?<path d="([^"]+)"/g)].map(
    ([, from = '', to = '', way = '']) => {
      const points = way
        .split(/[ML]/)
        .slice(1)
        .map((point) => point.split(' ').map(Number) as [number, number])
      const segments = points.slice(1).map(([x, y], index): Segment => {
        const [a, b] = points[index] as [number, number]
        return y === b ? { isHorizontal: true, at: y, from: a, to: x } : { isHorizontal: false, at: x, from: b, to: y }
      })
      return { from, to, begin: points[0] as [number, number], segments }
    },
  )

/** Whether two have a piece in common along which they lead in opposite directions. */
const areOpposed = (one: Segment, other: Segment): boolean => {
  const shared =
    Math.min(Math.max(one.from, one.to), Math.max(other.from, other.to)) -
    Math.max(Math.min(one.from, one.to), Math.min(other.from, other.to))
  const sameLine = one.isHorizontal === other.isHorizontal && one.at === other.at
  return sameLine && shared > 1 && Math.sign(one.to - one.from) !== Math.sign(other.to - other.from)
}

const touches = ({ isHorizontal, at, from, to }: Segment, [x, y]: readonly [number, number]): boolean => {
  const [along, across] = isHorizontal ? [x, y] : [y, x]
  return Math.abs(across - at) < 1 && along > Math.min(from, to) - 1 && along < Math.max(from, to) + 1
}

/** So large that what leads back has no room for lines of its own. */
const LARGE = 'task.svg'

test('[P38] no piece of a line belongs to arrows in both directions, but in the largest machine, and what leaves a group as a whole begins where nothing from inside of it passes', () => {
  const wrong: string[] = []
  for (const [name, svg] of charts) {
    const arrows = arrowsOf(svg)
    if (name.endsWith('.svg')) assert.ok(arrows.length > 0, name)
    for (const one of arrows)
      for (const other of arrows) {
        if (name !== LARGE && one.segments.some((each) => other.segments.some((segment) => areOpposed(each, segment))))
          wrong.push(`${one.from} → ${one.to} and ${other.from} → ${other.to} share a line`)
        if (other.from.startsWith(`${one.from}.`) && other.segments.some((each) => touches(each, one.begin)))
          wrong.push(`${one.from} → ${one.to} looks as if it came from ${other.from}`)
      }
  }
  assert.equal(wrong, [])
})

test('the comment above a machine is found, and no other', () => {
  const source = `/** Not this. */\nconst a = 1\n/**\n * One [D1].\n * Two.\n */\nexport const aMachine = 1\nexport const bMachine = 2`
  assert.is(commentAbove(source, 'aMachine'), 'One [D1].\nTwo.')
  assert.is(commentAbove(source, 'bMachine'), '')
})

test.run()
