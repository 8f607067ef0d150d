import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { violations, WAIT_MS } from '../observe/inspector/scene.ts'
import { endChromium, noChromium, pageOf, startChromium } from '../observe/inspector/world.ts'
import { eventually } from '../support/eventually.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { JPEG, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'
import { closeReceivers, receiver } from '../webhooks/receiver.ts'

/**
 * Twelve questions about a run, each answered from the inspector alone, by somebody who knows only that it is there: from
 * its first page on, with the presses that the answer takes.
 */
interface Question {
  readonly asked: string
  /** What is pressed, one after the other. */
  readonly presses: readonly string[]
  /** Where the answer is, and what it says. */
  readonly answers: readonly (readonly [where: string, says: RegExp])[]
}

const RUN = '.ended li a'
const DETAILS = '#outcome button'
/** What was said leads to its moment. */
const said = (words: string) => `.sayings li:has-text("${words}") a.quiet >> nth=-1`

const QUESTIONS: readonly Question[] = [
  { asked: 'Who ended it?', presses: [RUN], answers: [['#outcome', /Ended by the budget of the task/]] },
  {
    asked: 'Which limit held it back, and when was it warned?',
    presses: [RUN, DETAILS],
    answers: [
      ['#details', /Task limits\s*5 steps/],
      ['.sayings', /80 % of the budget is used: max steps, 4 of 5/],
    ],
  },
  {
    asked: 'Why did it wait here?',
    presses: [RUN, '[role=tab] >> text=Transitions'],
    answers: [
      [
        '.move:has(strong:text-is("waitingForBrowser"))',
        /session\.away.*not connected.*It waits for its browser to connect/s,
      ],
    ],
  },
  {
    asked: 'What did the browser send?',
    presses: [RUN, said('Done in')],
    answers: [['.steps', /green tea/]],
  },
  {
    asked: 'What was the model asked at this point, and what did it say?',
    presses: [RUN, '.sayings .request summary >> nth=1'],
    answers: [
      ['.sayings .request[open]', /for step 2.*You carry out a task.*Job \{"name":"tea".*Green/s],
      ['.sayings', /The model → The task: Step 2\./],
    ],
  },
  {
    asked: 'What did the webhook endpoint answer?',
    presses: [RUN, '[role=tab] >> text=Webhook deliveries'],
    answers: [['#panel', /task\.ended.*500.*no room/s]],
  },
  {
    asked: 'What did it ask its user, and did somebody answer?',
    presses: [RUN],
    answers: [['.sayings', /The task → You: Which tea\?.*You → The task: Agreed or answered/s]],
  },
  { asked: 'Which browser did it work in?', presses: [RUN], answers: [['#outcome', /Browser [0-9a-f]{8}/]] },
  {
    asked: 'What did it use?',
    presses: [RUN, DETAILS],
    answers: [['#details', /Used\s*5 steps, [\d,]+ tokens in, [\d,]+ out/]],
  },
  {
    asked: 'What was on the page at the end?',
    presses: [RUN, said('task → You')],
    answers: [['figure.shot', /Step \d/]],
  },
  {
    asked: 'How long did it wait for its user?',
    presses: [RUN],
    answers: [['#spent', /Waiting for people [\d.]+ m?s/]],
  },
]

/** As far as an answer may be. */
const PRESSES_MAX = 2

const test = suite('twelve questions about a run')

if (noChromium !== null) console.log(`SKIPPED 1 ${noChromium}`)
else
  test('[P18 P20] twelve questions about a run are answered from the inspector alone', async () => {
    const model = await openJobModel()
    const hook = await receiver((_, res) => {
      res.statusCode = 500
      res.end('no room')
    })
    const service = await openService({ env: { ...model.env, WEBHOOK_ALLOW_PRIVATE: 'true' } })
    const browser = await startChromium()
    let worker: TestBrowser | null = null
    try {
      const { api, url, key } = service
      const { status } = await api.post('/v1/webhook_endpoints', { url: `http://127.0.0.1:${hook.port}/` })
      assert.is(status, 201)
      const { id: session, token, relayPort } = await api.pair()
      worker = await TestBrowser.open({
        ...{ relayPort, token },
        answer: () => ({ output: 'green tea', screenshot: JPEG }),
      })
      const job = { name: 'tea', steps: 9, asks: 'Which tea?' }
      const id = await started(api, session, job, { ask_user: true, max_steps: 5 })
      const task = async () => (await api.get(`/v1/tasks/${id}`)).json
      await eventually(async () => (await task()).state === 'waitingForInput', 'the question', WAIT_MS)
      const { page } = await pageOf(browser, url, key)
      const clicks: string[] = []
      const answer = async ({ asked, presses, answers }: Question) => {
        assert.ok(presses.length <= PRESSES_MAX, `${presses.length} presses: ${asked}`)
        await page.goto(`${url}/inspector`)
        for (const press of presses) await page.locator(press).click({ timeout: WAIT_MS })
        for (const [where, says] of answers) {
          const text = async () => (await page.locator(where).allTextContents()).join(' ')
          await eventually(async () => says.test(await text()), `${asked} ${where}`, WAIT_MS).catch(async (error) => {
            throw new Error(`${error.message}: ${await text()}`)
          })
        }
        clicks.push(`${presses.length} ${asked}`)
      }
      await answer({
        asked: 'What does it wait for now, and until when?',
        presses: ['#actors a[data-address^="task:"]'],
        answers: [
          ['#meaning', /waits for its user, 10 minutes at most/],
          ['#facts', /timeout in (9|10) min/],
        ],
      })
      worker.disconnect()
      const { input_request: request } = await task()
      await api.post(`/v1/tasks/${id}/inputs/${request.id}`, { action: 'accept', content: 'Green' })
      await eventually(async () => (await task()).state === 'waitingForBrowser', 'the wait', WAIT_MS)
      await worker.connect()
      assert.is((await finished(api, id)).ended_by, 'budget')
      await eventually(() => hook.seen.some(({ body }) => body.includes('task.ended')), 'the webhook', WAIT_MS)
      for (const question of QUESTIONS) await answer(question)
      assert.is(clicks.length, 12)
      assert.equal(await violations(page), [])
      console.log(`presses:\n  ${clicks.join('\n  ')}`)
    } finally {
      // It would connect again and again, and this process would not end.
      worker?.disconnect()
      await endChromium(browser)
      await service.stop()
      await model.endpoint.close()
      await closeReceivers()
    }
  })

test.run()
