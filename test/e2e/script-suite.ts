import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { allowManyStarts, openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

const CLICKS = 20
const CODE = `const seen = []
for (let n = 1; n <= ${CLICKS}; n++) {
  const answer = await click('e' + n, {look: 'changes'})
  if (answer !== 'did e' + n) throw new Error(answer)
  seen.push(n * n)
}
return {seen, sum: seen.reduce((a, b) => a + b)}`
const RETURNED = JSON.stringify({ seen: Array.from({ length: CLICKS }, (_, n) => (n + 1) ** 2), sum: 2870 })
const refOf = (input: Readonly<Record<string, unknown>>) => String(input.ref)

/** `kill -9` while a script is under way, so often: nothing is done twice, and the script returns the same. */
export async function scriptCrashes(rounds: number) {
  const test = suite(`kill -9 with a script under way: ${rounds} rounds`)

  test('[L41 D8] each of its calls is executed once, and what it returns is the same', async () => {
    const file = join(tempFolder(), 'script.json')
    writeFileSync(file, JSON.stringify({ steps: [{ tool: 'script', input: { code: CODE } }, { answer: 'Done.' }] }))
    const service = await openService({ env: { LLM_SCRIPT: file, VERIFY: 'off' } })
    allowManyStarts(service)
    const { api } = service
    const session = await api.pair()
    const browser = await TestBrowser.open({
      relayPort: session.relayPort,
      token: session.token,
      protocol: 2,
      answer: ({ input }) => ({ output: `did ${refOf(input)}`, ms: 4 }),
    })
    const killedAt: number[] = []
    try {
      for (let round = 0; round < rounds; round++) {
        const before = browser.calls.length
        const { status, json } = await api.start(session.id, `Round ${round}`)
        assert.is(status, 201, JSON.stringify(json))
        // Within the call at hand, or between two of them.
        const at = 1 + ((round * 7) % (CLICKS - 2))
        await eventually(() => browser.calls.length - before >= at, `call ${at}`)
        await pause(round % 5)
        await service.kill()
        const done = browser.calls.length - before
        if (done < CLICKS) killedAt.push(done)
        service.spawn()
        await service.answers()
        await browser.registered()
        const task = await finished(api, json.id)
        assert.is(task.status, 'complete', JSON.stringify(task))
        const calls = browser.calls.slice(before)
        assert.equal(
          calls.map(({ input }) => refOf(input)),
          Array.from({ length: CLICKS }, (_, n) => `e${n + 1}`),
          `round ${round}`,
        )
        for (const { requestId } of calls) assert.is(browser.executed.get(requestId), 1)
        const result = task.turns?.[0]?.tools[0]?.result ?? ''
        assert.ok(result.includes(RETURNED), result)
      }
      assert.ok(killedAt.length >= rounds / 2, `killed in the middle: ${killedAt}`)
    } finally {
      browser.disconnect()
      await service.kill()
    }
  })

  test.run()
}
