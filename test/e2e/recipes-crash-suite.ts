import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Target, TELLS_TARGETS } from '../../machines/recipe.ts'
import { eventually } from '../support/eventually.ts'
import { type Call, type CallResult, TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { allowManyStarts, openService } from '../support/service.ts'
import { tempFolder } from '../support/stores.ts'

/** What the model does the first time, and goes on with where the recipe does not. */
const BUTTONS = ['Open', 'Choose', 'Add', 'Cart', 'Checkout', 'Confirm', 'Order']
const LAST = 'Order'
const click = (name: string) => ({
  tool: 'computer',
  input: { action: 'left_click', ref: `e${BUTTONS.indexOf(name)}` },
})
/** What its input is for. */
const open = { tool: 'navigate', input: { url: 'http://shop.example/{{task:/(\\d+)/}}' } }
const script = {
  scripts: [
    // After the first time the recipe deviates, and the model does the rest: the last button alone.
    { when: 'moved [1-9]', steps: [click(LAST), { tool: 'get_page_text', input: {} }, { answer: 'Ordered.' }] },
    { steps: [open, ...BUTTONS.map(click), { tool: 'get_page_text', input: {} }, { answer: 'Ordered.' }] },
  ],
}

/** A page of buttons, which are pressed one after the other; of an order they are pressed once each. */
class Page {
  /** What was pressed, by task. */
  readonly pressed = new Map<string, string[]>()
  /** The last button is not where it was: what the recipe asks for is refused. */
  isMoved = false

  answer({ taskId, tool, input }: Call): CallResult {
    const { ref, target } = input as { ref?: string; target?: Target }
    const pressed = this.pressed.get(taskId) ?? []
    this.pressed.set(taskId, pressed)
    if (tool === 'get_page_text')
      return { output: `Pressed ${pressed.length}`, ms: 3, more: { fingerprint: `${pressed}` } }
    if (tool === 'navigate') return { output: 'opened', ms: 3, more: { fingerprint: 'opened' } }
    if (target?.name === LAST && this.isMoved) {
      const error = 'No element of the page is clearly the target, so nothing was done.'
      return { output: '', ms: 3, more: { result: null, error, act: { refused: 'nothing like it' } } }
    }
    const name = target?.name ?? BUTTONS[Number(ref?.slice(1))] ?? ''
    pressed.push(name)
    const act = { target: { role: 'button', name, alike: 1 } }
    return { output: `did ${name}`, ms: 3, more: { act, fingerprint: `${pressed}` } }
  }
}

/** `kill -9` while a recipe is played, and while it is handed over, so often: nothing is done twice, and nothing left out. */
export async function recipeCrashes(rounds: number) {
  const test = suite(`kill -9 while a recipe is played or handed over: ${rounds} rounds`)

  test('[J6 J9 D8] each of its acts is done once, by whomever', async () => {
    const file = join(tempFolder(), 'script.json')
    writeFileSync(file, JSON.stringify(script))
    const service = await openService({ env: { LLM_SCRIPT: file, VERIFY: 'off' } })
    allowManyStarts(service)
    const { api } = service
    const session = await api.pair()
    const page = new Page()
    const browser = await TestBrowser.open({
      relayPort: session.relayPort,
      token: session.token,
      protocol: 2,
      tools: [TELLS_TARGETS, 'tabs', 'dialog', 'files'],
      answer: (call) => page.answer(call),
    })
    const start = async (task: string, inputs: object = {}) => {
      const { status, json } = await api.start(session.id, task, { recipe: 'auto', inputs: { round: 0, ...inputs } })
      assert.is(status, 201, JSON.stringify(json))
      return json.id as string
    }
    const inMiddle = { played: 0, handed: 0 }
    try {
      // One template each: what is learned of the one is not what is played of the other.
      for (const task of ['Order {{round}}', 'Order what was moved {{round}}']) {
        page.isMoved = false
        const first = await finished(api, await start(task))
        assert.is(first.status, 'complete', JSON.stringify(first))
      }
      for (let round = 1; round <= rounds; round++) {
        page.isMoved = round % 2 === 0
        const before = browser.calls.length
        const id = await start(page.isMoved ? 'Order what was moved {{round}}' : 'Order {{round}}', { round })
        const acts = BUTTONS.length + (page.isMoved ? 3 : 2)
        // Within the call at hand or between two of them; of those that are handed over mostly about there.
        const at =
          page.isMoved && round % 4 === 0 ? 1 + BUTTONS.length + ((round / 4) % 2) : 2 + ((round * 5) % BUTTONS.length)
        await eventually(() => browser.calls.length - before >= at, `call ${at} of round ${round}`)
        await pause(round % 5)
        await service.kill()
        if (browser.calls.length - before < acts) inMiddle[page.isMoved ? 'handed' : 'played']++
        service.spawn()
        await service.answers()
        await browser.registered()
        const task = await finished(api, id)
        assert.is(task.status, 'complete', JSON.stringify(task))
        assert.equal(page.pressed.get(id), BUTTONS, `round ${round}`)
        for (const { requestId } of browser.calls.slice(before)) assert.is(browser.executed.get(requestId), 1)
        assert.is(
          task.recipe?.deviation?.step,
          page.isMoved ? BUTTONS.length + 1 : undefined,
          JSON.stringify(task.recipe),
        )
      }
      console.log(`killed in the middle: ${inMiddle.played} playing, ${inMiddle.handed} handing over, of ${rounds}`)
      assert.ok(inMiddle.played + inMiddle.handed >= rounds / 2, JSON.stringify(inMiddle))
    } finally {
      browser.disconnect()
      await service.kill()
    }
  })

  test.run()
}
