import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { InputRequest } from '../../machines/input-request.ts'
import { ask, depsOf, HOSTILE, isPage, NOW, serve, taskOf } from './world.ts'

const test = suite('what a task asks, on the dashboard')
const closing: (() => Promise<void>)[] = []
test.after(async () => {
  for (const close of closing) await close()
})

const ID = '00000000-0000-4000-8000-00000000000a'
const REQUEST: InputRequest = {
  id: 'r-1',
  kind: 'approval',
  message: `This presses button ${HOSTILE}`,
  schema: null,
  call: { tool: 'computer', input: { action: 'left_click' }, terms: ['https://shop.example/', '€ 52.50'] },
  expiresAt: NOW + 60_000,
}

async function served(inputRequest: InputRequest) {
  const answers: unknown[] = []
  const usage = { inputTokens: 0, outputTokens: 0, apiCalls: 0 }
  const task = taskOf({
    id: ID,
    workspaceId: 'w-1',
    status: 'running',
    state: 'waitingForInput',
    inputRequest,
    usage,
    deadlineAt: NOW,
  })
  const deps = depsOf({
    taskService: {
      task: async (workspaceId) => (workspaceId === 'w-1' ? { ...task, webhookUrl: null, completedAt: null } : null),
      answerInput: async (...answer) => {
        answers.push(answer)
        return 'accepted'
      },
    },
  })
  const { port, close } = await serve(deps)
  closing.push(close)
  const post = (fields: Record<string, string>) =>
    ask(port, `/dashboard/tasks/${ID}/inputs/r-1`, {
      method: 'POST',
      headers: {
        cookie: 'ann',
        origin: `http://127.0.0.1:${port}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ workspace: 'w-1', ...fields }).toString(),
    })
  return { answers, post, page: () => ask(port, `/dashboard/tasks/${ID}`, { headers: { cookie: 'ann' } }) }
}

test('[I8] an approval is shown with its terms, and answered by a button', async () => {
  const { page, post, answers } = await served(REQUEST)
  const shown = await page()
  isPage(shown)
  assert.match(shown.text, /Approve this action\?/)
  assert.match(shown.text, /€ 52\.50/)
  assert.not.ok(shown.text.includes(HOSTILE))
  const answer = await post({ action: 'accept' })
  assert.is(answer.status, 303)
  assert.equal(answers, [['w-1', ID, 'r-1', { action: 'accept', content: null }]])
})

test('[I8] a question has its choices; without an answer, and by any other word, nothing is answered', async () => {
  const schema = { type: 'string', enum: ['green', 'black'] }
  const { page, post, answers } = await served({ ...REQUEST, kind: 'question', call: null, schema })
  assert.match((await page()).text, /<option>green<\/option>/)
  for (const fields of [{ action: 'accept' }, { action: 'approve', content: 'green' }, {}])
    await post({ ...fields } as never)
  assert.equal(answers, [])
  await post({ action: 'accept', content: 'green' })
  await post({ action: 'decline' })
  assert.is(answers.length, 2)
})

test.run()
