import * as assert from 'uvu/assert'
import { extensionSuite } from '../extension/browser.ts'
import { call, modelOf, type Next, refIn, resultsOf } from '../extension/playing.ts'
import { ended, openScene, pair, start } from '../extension/scene.ts'
import { eventually } from '../support/eventually.ts'
import { LEAVING, openWaysOut, outliving, spellings } from '../support/ways-out.ts'

type Messages = Parameters<typeof refIn>[0]
let play: (turn: number, messages: Messages) => Next | Promise<Next> = () => ({ answer: 'Nothing to do.' })

const test = extensionSuite(
  'confined tasks of the extension, all',
  async () => {
    const scene = await openScene(modelOf((turn, messages) => play(turn, messages)))
    return { scene, session: await pair(scene) }
  },
  ({ scene }) => scene.close(),
)

const wait = call('computer', { action: 'wait', duration: 2 })
const script = (text: string): Next => call('javascript_tool', { action: 'javascript_exec', text })
const go = (messages: Messages): Next => {
  try {
    return call('computer', { action: 'left_click', ref: refIn(messages, /Go/) })
  } catch {
    return wait
  }
}

test('[F3] no request that outlives its page reaches a server that is not listed: unconfined all of them do', async ({
  scene,
  session,
}) => {
  const ways = await openWaysOut()
  const outlive = async (as: string, more: object) => {
    const { late } = outliving(as)
    play = async (turn) => {
      if (turn === 0) return call('navigate', { url: `${ways.shop}/outliving?as=${as}` })
      if (turn > 1) return { answer: 'Left.' }
      await eventually(() => late.every((path) => ways.held.includes(path)), `what the page of ${as} asks for`, 20_000)
      return call('navigate', { url: ways.shop })
    }
    await ended(scene.api, await start(scene.api, session, 'Leave the page', more))
    // What they lead to is asked for when nothing of the browser knows of the task any more.
    const [worker] = scene.browser.context.serviceWorkers()
    const rules = () => worker?.evaluate(() => chrome.declarativeNetRequest.getSessionRules())
    await eventually(async () => (await rules())?.length === 0, 'the end of the rules of the task', 20_000)
    ways.letGo()
  }
  try {
    await outlive('confined', { allowed_domains: [ways.domain] })
    await outlive('free', {})
    const { late, leaving } = outliving('free')
    const isReached = () => [...late, ...leaving].every((path) => ways.reached.includes(path))
    await eventually(isReached, 'all that is unconfined', 20_000).catch((error) => {
      throw new Error(ways.reached.join(' '), { cause: error })
    })
    // Those had no longer to come than these.
    assert.equal(
      ways.reached.filter((path) => path.startsWith('/confined/')),
      [],
    )
  } finally {
    await ways.close()
  }
})

test('[F2] [F4] no address, link, window, form, redirect or script takes a tab there, and nothing of it is read', async ({
  scene,
  session,
}) => {
  const ways = await openWaysOut()
  const refused = [...spellings(ways.outsidePort), 'data:text/html,outside', 'https://example.com/']
  const leave = (by: string) => [
    call('navigate', { url: `${ways.shop}/leave?by=${encodeURIComponent(by)}` }),
    call('find', { query: 'Go' }),
    go,
    call('get_page_text'),
  ]
  const redirected = `${ways.shop}/redirect?to=http://${ways.outside}/redirected`
  // Failures in a row would end the task: between them, something succeeds.
  const steps: (Next | ((messages: Messages) => Next))[] = [...refused, redirected].flatMap((url) => [
    call('navigate', { url: ways.shop }),
    call('navigate', { url }),
  ])
  let read: string[] = []
  const playing =
    (all: typeof steps) =>
    (turn: number, messages: Messages): Next => {
      read = resultsOf(messages).map(({ text }) => text)
      const step = all[turn]
      return typeof step === 'function' ? step(messages) : (step ?? { answer: 'Refused.' })
    }
  try {
    const more = { allowed_domains: [ways.domain] }
    play = playing(steps)
    await ended(scene.api, await start(scene.api, session, 'Leave', more))
    for (const [n, url] of [...refused, redirected].entries()) assert.match(read[2 * n + 1] ?? '', /^Error: /, url)
    play = playing(Object.keys(LEAVING).flatMap(leave))
    await ended(scene.api, await start(scene.api, session, 'Leave again', more))
    for (const text of read) assert.not.match(text, /\/\*outside/)
    play = playing([
      call('navigate', { url: ways.shop }),
      script(`location.href = URL.createObjectURL(new Blob(['<p>/*outside*/'], {type: 'text/html'})); 1`),
      wait,
      call('get_page_text'),
    ])
    await ended(scene.api, await start(scene.api, session, 'Leave by a blob', more))
    assert.not.match(read.at(-1) ?? '', /outside\*/)
    assert.equal(
      ways.reached.filter((path) => path !== 'a connection'),
      [],
    )
  } finally {
    await ways.close()
  }
})

await test.run()
