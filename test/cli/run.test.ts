import * as assert from 'uvu/assert'
import { DEMO_SCRIPT, DEMO_TASK } from '../../src/demo/script.ts'
import { openShop, type Shop } from '../../src/demo/shop.ts'
import { openService, type TestService } from '../support/service.ts'
import { type Running, run, start } from './command.ts'
import { suiteWithBrowser } from './with-browser.ts'

const test = suiteWithBrowser('command line: browser and run')

interface Scene {
  readonly shop: Shop
  readonly service: TestService
  /** The `browser` command, connected. */
  browser: Running
  /** Where `run` asks, and with which key. */
  readonly asked: readonly string[]
}

/** The shop, a service that plays the demo's script, and a browser from the command line, for all tests. */
async function opened(): Promise<Scene> {
  const service = await openService({ env: { LLM_SCRIPT: DEMO_SCRIPT } })
  const shop = await openShop()
  const browser = await connected(service)
  return { shop, service, browser, asked: ['--service', service.url, '--key', service.key] }
}
async function connected({ url, key }: TestService): Promise<Running> {
  const browser = start(['browser', '--service', url, '--key', key])
  await browser.said(/Connected to the service/)
  return browser
}
let scene: Promise<Scene> | undefined
async function inScene(work: (scene: Scene) => Promise<void>): Promise<void> {
  scene ??= opened()
  await work(await scene)
}

test('[Q6] an interrupted run cancels its task, and ends with 1', () =>
  inScene(async ({ shop, asked }) => {
    const task = start(['run', DEMO_TASK, '--url', shop.url, ...asked])
    await task.said(/navigate/)
    task.child.kill('SIGINT')
    const { code, out } = await task.ended
    assert.is(code, 1)
    assert.match(out, 'Task was cancelled.')
    assert.is(shop.orders.length, 0)
  }))

test('[Q6 Q12] run goes on over a restart of the service, and follow tells all of it again', () =>
  inScene(async ({ shop, service, asked }) => {
    const task = start(['run', DEMO_TASK, '--url', shop.url, ...asked])
    const [, id = ''] = await task.said(/Task (\S+) in/)
    await task.said(/navigate/)
    await service.kill()
    await task.said(/Reconnecting/)
    service.spawn()
    const { code, out, err } = await task.ended
    assert.is(code, 0, out + err)
    assert.match(out, 'Connected again.')
    assert.is(shop.orders.length, 1)
    const steps = (text: string) => text.split('\n').flatMap((line) => /^ +(\d+) {2}/.exec(line)?.[1] ?? [])
    assert.equal(
      steps(out),
      steps(out).map((_, index) => String(index + 1)),
    )

    const again = await run(['follow', id, ...asked])
    assert.is(again.code, 0, again.err)
    assert.equal(steps(again.out), steps(out))
    assert.match(again.out, /Status +complete/)
    const unknown = await run(['follow', 'nothing', ...asked])
    assert.equal([unknown.code, unknown.err.trim()], [2, 'Task not found'])
  }))

test('[Q5][Q6] a browser and its tasks from the command line, against a running service', () =>
  inScene(async (scene) => {
    const { shop, asked } = scene
    // It has been to the shop before, and finds what it found the first time.
    const done = await run(['run', DEMO_TASK, '--url', shop.url, ...asked])
    assert.is(done.code, 0, done.out + done.err)
    assert.is(shop.orders.length, 2)
    assert.match(done.out, `Its number is ${shop.orders[1]?.number}`)
    assert.match(done.out, /Status +complete/)

    scene.browser.child.kill('SIGINT')
    assert.is((await scene.browser.ended).code, 0)
    const alone = await run(['run', 'anything', ...asked])
    assert.is(alone.code, 3)
    assert.match(alone.err, /^No browser is connected\. .*--pool default.*browsers pair/)
  }))

test.after(async () => {
  const { browser, shop, service } = (await scene) ?? {}
  await browser?.end()
  await shop?.close()
  await service?.stop()
})
test.run()
