import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AnyStateMachine, AnyStateNode, StateValue } from 'xstate'
import { downgraded, type KeptKind, ROW_VERSIONS, upgraded } from '../../actors/runtime/row-versions.ts'
import { closingMachine } from '../../machines/closing.ts'
import { deliveryMachine } from '../../machines/delivery.ts'
import { taskMachine } from '../../machines/task.ts'
import { workspaceMachine } from '../../machines/workspace.ts'
import { alone } from '../support/machine.ts'
import { anEnding } from '../support/stores.ts'

/**
 * What rows of each version look like: the states of the machine with what they invoke, and the fields of its context.
 * `WRITE_SHAPES=1` notes the shape of a version that is new; what is noted never changes, as rows of it are out there.
 */
const FILE = 'test/machines/kept-shapes.json'
const noted: Record<string, unknown> = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}

const test = suite('kept shapes')

const within = (node: AnyStateNode): string[] => [
  [
    node.path.join('.') || node.key,
    ...node.invoke.map(({ src, id }) => `${id.includes('.') ? '' : `${id}: `}${String(src)}`),
  ].join(' '),
  ...Object.values(node.states).flatMap(within),
]
const shapeOf = (machine: AnyStateMachine, input: unknown) => ({
  states: within(machine.root),
  context: Object.keys(alone(machine, input as never).context() as object).sort(),
})

const SHAPES: Readonly<Record<KeptKind, object>> = {
  workspace: shapeOf(workspaceMachine, { workspaceId: 'w1' }),
  task: shapeOf(taskMachine, { taskId: 't1', workspaceId: 'w1', sessionId: 's1', requestId: null, deadlineAt: 1 }),
  closing: shapeOf(closingMachine, { ending: anEnding('t1'), workspaceId: 'w1', billed: true }),
  delivery: shapeOf(deliveryMachine, { deliveryId: 'd1', endpointId: 'e1', workspaceId: 'w1' }),
}

for (const [kind, shape] of Object.entries(SHAPES) as [KeptKind, object][])
  test(`[D11] the shape of ${kind} rows is the one that is noted for their version`, () => {
    const version = `${kind}@${ROW_VERSIONS[kind]}`
    if (process.env.WRITE_SHAPES && !(version in noted)) {
      noted[version] = shape
      writeFileSync(FILE, `${JSON.stringify(noted, null, 2)}\n`)
    }
    const what = `rows of ${kind} changed: raise its version in actors/runtime/row-versions.ts, say how the old one becomes the new one, and run this with WRITE_SHAPES=1`
    assert.equal(noted[version], shape, what)
  })

test('[D11] a row of an older version is upgraded step by step; one without a way is not brought back', () => {
  const upgrades = {
    workspace: {},
    closing: {},
    delivery: {},
    task: {
      [ROW_VERSIONS.task - 2]: (old: unknown) => `${old}, once`,
      [ROW_VERSIONS.task - 1]: (old: unknown) => `${old}, twice`,
    },
  }
  const row = (version: number, snapshot: unknown) => ({ address: 'task:t1', version, at: 0, snapshot })
  const now = ROW_VERSIONS.task
  assert.is(upgraded(row(now, 'as it is'), upgrades), 'as it is')
  assert.is(upgraded(row(now - 2, 'old'), upgrades), 'old, once, twice')
  assert.is(upgraded(row(now - 3, 'older'), upgrades), undefined)
  assert.is(upgraded(row(now + 1, 'newer'), upgrades), undefined)
  assert.is(upgraded(row(now, null), upgrades), null)
})

test('[M11] a row is written as the version before reads it, while a node of that version is there', () => {
  const row = { address: 'task:t1', version: 9, at: 1, snapshot: { context: { old: 1, added: 2 } } } as const
  const downgrade = (snapshot: unknown) => {
    const { context } = snapshot as { context: { old: number } }
    return { context: { old: context.old } }
  }
  const downgrades = { workspace: {}, task: { 9: downgrade }, closing: {}, delivery: {} }
  const versions = { ...ROW_VERSIONS, task: 8 }
  assert.equal(downgraded(row, downgrades, versions), { ...row, version: 8, snapshot: { context: { old: 1 } } })
  assert.equal(downgraded({ ...row, snapshot: null }, downgrades, versions).snapshot, null)
  assert.throws(() => downgraded(row, { ...downgrades, task: {} }, versions), /task@9/)
  const newest = { ...row, version: ROW_VERSIONS.task }
  assert.equal(downgraded(newest, downgrades, ROW_VERSIONS), newest)
})

test('[D11 M11] each state of a task before version 12 is one inside of a group, and is written back as it was', () => {
  const { states } = noted['task@11'] as { states: readonly string[] }
  const paths = states.slice(1).map((line) => line.split(' ')[0] ?? '')
  const values = paths.map((path) =>
    path.split('.').reduceRight<unknown>((value, key) => (value ? { [key]: value } : key), ''),
  )
  for (const value of values.filter((each) => each !== 'running')) {
    const row = { address: 'task:t1', version: 11, at: 1, snapshot: { value, context: {} } } as const
    const snapshot = upgraded(row) as { value: StateValue }
    assert.equal(taskMachine.resolveState({ value: snapshot.value } as never).value, snapshot.value)
    assert.equal(downgraded({ ...row, version: 12, snapshot }, undefined, { ...ROW_VERSIONS, task: 11 }), row)
  }
})

test('[M11 L41] a task whose call the service carries out is one that asks its browser, in the version before', () => {
  const row = (version: number, state: string) => ({
    address: 'task:t1',
    version,
    at: 1,
    snapshot: { value: { running: state }, context: {} },
  })
  assert.equal(downgraded(row(10, 'serving')), row(9, 'persistingIntent'))
  assert.equal(downgraded(row(10, 'acting')), row(9, 'acting'))
})

test('[M11 Z5] a node that knows no pools finds a task that waits for another browser waiting for its own', () => {
  const snapshot = {
    value: { running: 'changingBrowser' },
    children: { deadline: 1, placeWait: 2, wantPlace: 3 },
    context: { step: 1, pool: 'p', pageUrl: null, pageLost: false },
  }
  assert.equal(downgraded({ address: 'task:t1', version: 11, at: 1, snapshot }), {
    ...{ address: 'task:t1', version: 9, at: 1 },
    snapshot: { value: { running: 'persistingIntent' }, children: { deadline: 1 }, context: { step: 1 } },
  })
  const workspace = { value: 'open', context: { running: {}, pools: {} } }
  assert.equal(downgraded({ address: 'workspace:w1', version: 9, at: 1, snapshot: workspace }), {
    ...{ address: 'workspace:w1', version: 8, at: 1 },
    snapshot: { value: 'open', context: { running: {} } },
  })
})

test.run()
