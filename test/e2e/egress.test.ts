import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NoBrowser, startBrowser } from '../../src/browser/chromium.ts'
import { argsOf } from '../support/built.ts'
import { HOSTS, WAYS } from '../support/egress/places.ts'

const test = suite('what browsers of a service in production reach')
const INSIDE = 'test/support/egress/inside.ts'

/** Why it cannot be tried here; `null` when it can. */
async function reasonNot(): Promise<string | null> {
  const script = 'ip link set lo up && ip addr add 10.9.9.9/32 dev lo && mount --bind /dev/null /etc/resolv.conf'
  if (spawnSync('unshare', ['-n', '-m', 'sh', '-c', script]).status !== 0)
    return 'no network namespace of its own: it needs root, unshare and ip'
  try {
    const browser = await startBrowser({ headed: false, executablePath: process.env.CHROME_PATH || undefined })
    await browser.close()
    return null
  } catch (error) {
    if (error instanceof NoBrowser) return error.message
    throw error
  }
}

const reason = await reasonNot()
if (reason !== null) console.log(`SKIPPED 1 ${reason}`)
else
  test('[Z15] of private addresses in 40 spellings and more none is reached by any way, but the one that is allowed by each', async () => {
    assert.ok(HOSTS.length >= 40, String(HOSTS.length))
    const { stdout } = await promisify(execFile)('unshare', ['-n', '-m', process.execPath, ...argsOf(INSIDE)], {
      maxBuffer: 64 << 20,
    })
    const { reached, allowed, asked, ended, told } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    assert.is(ended, 'completed', told)
    assert.equal(reached, [])
    const paths = ['navigated', 'redirected', ...Object.keys(WAYS).map((name) => name.replaceAll(' ', '-'))]
    assert.equal(
      paths.filter((path) => !allowed.includes(`/${path}`)),
      [],
      'the ways work',
    )
    const rebound = asked.filter((name: string) => name === 'rebind.example 4').length
    assert.ok(rebound >= 2, `a name was resolved ${rebound} times, and answered differently`)
    console.log(`${HOSTS.length} hosts, ${paths.length} ways: ${reached.length} reached`)
  })

test.run()
