import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { arrowsOf, CHECKS, importsOf, PROCESSES, type Tree } from './support/house.ts'

const test = suite('house')

/** The repository as it is: sources of all floors, tests, and the names of the drawings. */
function repository(): Tree {
  const paths = ['machines', 'actors', 'src', 'test', 'eval', 'bench', 'docs', 'clients'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      // What is built of the client is not written by hand.
      .filter((path) => !path.startsWith('clients/typescript/dist/') && !path.includes('/node_modules/')),
  )
  return new Map(
    paths.filter((path) => /\.(tsx?|js|md|svg)$/.test(path)).map((path) => [path, readFileSync(path, 'utf8')]),
  )
}

const tree = repository()
for (const [rule, check] of Object.entries(CHECKS)) test(rule, () => assert.equal(check(tree), []))

test('docs/map.md draws which room uses which', () => {
  const drawn = [...(tree.get('docs/map.md') ?? '').matchAll(/^ {2}(\w+ --> \w+)$/gm)].map(([, arrow = '']) => arrow)
  assert.equal(drawn, arrowsOf(tree))
})

/** A small house in which everything is right. */
const SOUND: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    PROCESSES.flatMap((name) => [
      [`machines/${name}.ts`, `import { setup } from 'xstate'\nexport const ${name}Machine = setup({})`],
      [`actors/${name}.ts`, `import { ${name}Machine } from '../machines/${name}.ts'`],
      [`test/machines/${name}.test.ts`, ''],
      [`src/observe/inspector/drawings/${name}.svg`, ''],
    ]),
  ),
  'src/main.ts': `import './api/server.ts'\nimport './stores/open.ts'`,
  'src/net/transport.ts': `import { readFile } from 'node:fs'`,
  'src/api/server.ts': `import { WebSocketServer } from 'ws'\nimport { parse } from '../wire/task.ts'`,
  'src/wire/task.ts': `import * as v from 'valibot'\nimport { callMachine } from '../../machines/call.ts'`,
  'src/relay/socket.ts': `import type { Socket } from '../net/transport.ts'`,
  'src/browser/client.ts': `import { WebSocket } from 'ws'`,
  'src/stores/open.ts': `import { open } from 'lmdb'\n// fetch(), Date.now() and process.exit are words here`,
}

/** The findings of one check on that house with some files changed or, by `null`, removed. */
function found(rule: string, changed: Readonly<Record<string, string | null>>): string[] {
  const all = Object.entries({ ...SOUND, ...changed })
  const check = CHECKS[rule]
  assert.ok(check, rule)
  return check(new Map(all.flatMap(([path, source]) => (source === null ? [] : [[path, source]]))))
}

test('the sound house passes every check', () => {
  for (const rule of Object.keys(CHECKS)) assert.equal(found(rule, {}), [], rule)
})

const VIOLATIONS: readonly (readonly [rule: string, changed: Readonly<Record<string, string | null>>, says: string])[] =
  [
    [
      'imports go down only',
      { 'machines/x.ts': `import { y } from '../actors/y.ts'` },
      'machines/x.ts imports actors/y.ts',
    ],
    [
      'imports go down only',
      { 'actors/x.ts': `export * from '../src/observe/log.ts'` },
      'actors/x.ts imports src/observe/log.ts',
    ],
    [
      'imports go down only',
      { 'actors/x.ts': `await import('../src/observe/log.ts')` },
      'actors/x.ts imports src/observe/log.ts',
    ],
    ['imports go down only', { 'src/x.ts': `import '../test/support/y.ts'` }, 'src/x.ts imports test/support/y.ts'],
    [
      'the client for programs stands alone',
      { 'clients/typescript/src/x.ts': `import type { Task } from '../../../src/wire/task.ts'` },
      'clients/typescript/src/x.ts imports src/wire/task.ts',
    ],
    ['a machine imports xstate and machines only', { 'machines/x.ts': `import 'lmdb'` }, 'machines/x.ts imports lmdb'],
    [
      'a machine imports xstate and machines only',
      { 'machines/x.ts': `import type { Clock } from 'node:timers'` },
      'machines/x.ts imports node:timers',
    ],
    ['an actor imports no driver', { 'actors/x.ts': `import {\n  open,\n} from 'lmdb'` }, 'actors/x.ts imports lmdb'],
    ['an actor imports no driver', { 'actors/x.ts': `import 'node:net'` }, 'actors/x.ts imports node:net'],
    [
      'no cycle at run time',
      { 'src/api/a.ts': `import './b.ts'`, 'src/api/b.ts': `import './c.ts'`, 'src/api/c.ts': `import './a.ts'` },
      'src/api/a.ts → src/api/b.ts → src/api/c.ts → src/api/a.ts',
    ],
    [
      'a vendor package has one importer',
      { 'src/stores/other.ts': `import type { Database } from 'lmdb/index'` },
      'lmdb: src/stores/open.ts, src/stores/other.ts',
    ],
    [
      'a vendor package has one importer',
      { 'src/api/other.ts': `import 'ws'` },
      'ws in src/api: src/api/server.ts, src/api/other.ts',
    ],
    [
      'a room knows nothing of the inside of another',
      { 'src/relay/socket.ts': `import { handle } from '../api/handle.ts'` },
      'src/relay/socket.ts imports src/api/handle.ts',
    ],
    [
      'a room knows nothing of the inside of another',
      { 'src/webhooks/send.ts': `import './webhooks.ts'`, 'src/api/billing.ts': `import '../webhooks/webhooks.ts'` },
      'src/api/billing.ts imports src/webhooks/webhooks.ts',
    ],
    [
      'rooms use each other in one direction',
      {
        'src/identity/accounts.ts': `import { deps } from '../api/deps.ts'`,
        'src/api/auth.ts': `import { hash } from '../identity/tokens.ts'`,
      },
      'api --> identity',
    ],
    [
      'what is bundled for browsers imports nothing of node',
      { 'src/extension/worker.ts': `import { a } from '../wire/a.ts'`, 'src/wire/a.ts': `import 'node:crypto'` },
      'src/wire/a.ts imports node:crypto',
    ],
    [
      'what is bundled for browsers imports nothing of node',
      { 'src/web/client/a.ts': `import '../format.ts'`, 'src/web/format.ts': `import 'node:util'` },
      'src/web/format.ts imports node:util',
    ],
    ['a machine is pure', { 'machines/x.ts': 'const at = Date.now()' }, 'machines/x.ts says Date.now'],
    ['a machine is pure', { 'machines/x.ts': 'setTimeout(stop, 1)' }, 'machines/x.ts says setTimeout'],
    ['a machine is pure', { 'machines/x.ts': `if (process.env.A) stop()` }, 'machines/x.ts says process.'],
    ...[
      'machines/call.ts',
      'actors/call.ts',
      'test/machines/call.test.ts',
      'src/observe/inspector/drawings/call.svg',
    ].map(
      (path) =>
        [
          'a process has its machine, its actor, its test and its drawing',
          { [path]: null },
          `call lacks ${path}`,
        ] as const,
    ),
    ['no test is lonely, skipped without a count, or to be done later', { 'test/x.test.ts': 'test.only()' }, '.only('],
    ['no test is lonely, skipped without a count, or to be done later', { 'src/x.ts': '// FIXME' }, 'FIXME'],
  ]
for (const [rule, changed, says] of VIOLATIONS)
  test(`found: ${rule} (${says})`, () => {
    const findings = found(rule, changed)
    assert.is(findings.length, 1, findings.join('\n'))
    assert.match(findings[0] ?? '', says)
  })

test('every check has been seen to find something', () => {
  assert.equal(new Set(VIOLATIONS.map(([rule]) => rule)), new Set(Object.keys(CHECKS)))
})

test('a new machine needs its actor, test and drawing too', () => {
  const findings = found('a process has its machine, its actor, its test and its drawing', {
    'machines/lease.ts': 'export const leaseMachine = setup({})',
  })
  assert.is(findings.length, 3)
})

test('words in comments and texts are not imports', () => {
  const source = `// import 'a'\n/* import 'b' */\nconst c = \`import 'c'\`\nimport type { D } from 'd'\nimport e, { f } from '@g/h/i'`
  assert.equal(
    importsOf('src/x.ts', source).map(({ to, typeOnly }) => [to, typeOnly]),
    [
      ['d', true],
      ['@g/h', false],
    ],
  )
})

test.run()
