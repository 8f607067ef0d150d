import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { installPrograms, openShop, runAll } from '../docs/programs.ts'
import { BARE, DEPLOYED, nginx, startNginx } from '../support/nginx.ts'

const test = suite('the programs of the docs, through nginx and over a restart of the service')
const programs = await installPrograms()
/** Long enough to be killed and started in the midst of it. */
const CALL_MS = 4_000

/** Every program, with `kill -9` of the service and its next start while each task is in its first call. */
async function overRestart(site: string | null, transport = 'uws'): Promise<readonly string[]> {
  const shop = await openShop(CALL_MS, { TRANSPORT: transport })
  const { service } = shop
  const proxy = site === null ? null : await startNginx(site, new URL(service.url).port)
  try {
    const meanwhile = async () => {
      await service.kill()
      service.spawn()
      await service.answers()
    }
    return await runAll(programs, shop, { meanwhile, ...(proxy && { url: proxy.url }) })
  } finally {
    await proxy?.stop()
    await shop.close()
  }
}

test('[Y14] over a restart', async () => assert.equal(await overRestart(null), []))

if (nginx === undefined) console.log('SKIPPED 2 nginx is not installed')
else
  for (const [name, site, transport] of [
    ['deploy/nginx.conf', DEPLOYED, 'uws'],
    ['nginx with its default settings', BARE, 'node'],
  ] as const)
    test(`[Y14] over a restart, through ${name}`, async () => assert.equal(await overRestart(site, transport), []))

test.run()
