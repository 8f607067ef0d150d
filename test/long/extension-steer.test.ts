import * as assert from 'uvu/assert'
import { extensionSuite } from '../extension/browser.ts'
import { call, modelOf, type Next } from '../extension/playing.ts'
import { ended, openScene, pair, start } from '../extension/scene.ts'
import { eventually } from '../support/eventually.ts'
import { servePages } from '../support/pages.ts'

type Messages = Parameters<Parameters<typeof modelOf>[0]>[1]
let play: (turn: number, messages: Messages) => Next | Promise<Next> = () => ({ answer: 'Nothing to do.' })

const test = extensionSuite(
  'what the side panel starts and says',
  async () => {
    const scene = await openScene(modelOf((turn, messages) => play(turn, messages)))
    const [session, pages] = [await pair(scene), await servePages()]
    return { scene, session, pages, panel: await scene.browser.open('panel.html') }
  },
  ({ scene, pages }) => Promise.all([scene.close(), pages.close()]),
)

test('[I11] a task starts from the panel with its sites and without questions, and what is wrong with them is said', async ({
  scene,
  panel,
}) => {
  play = () => ({ answer: 'Done with it.' })
  await panel.getByText('Connected to').waitFor()
  await panel.getByLabel('What should be done?').fill('Look around')
  await panel.getByLabel('Ask me before').selectOption('every action')
  await panel.getByText('Questions, sites').click()
  await panel.getByLabel('May ask me questions').uncheck()
  await panel.getByLabel('Only on these sites').fill('not a site!')
  await panel.getByRole('button', { name: 'Start' }).click()
  await panel.getByRole('alert').getByText('allowedDomains').waitFor()
  assert.is(await panel.getByLabel('What should be done?').inputValue(), 'Look around')
  await panel.getByLabel('Only on these sites').fill('shop.example, *.tea.example')
  await panel.getByRole('button', { name: 'Start' }).click()
  const card = panel.getByRole('article', { name: 'Look around' })
  await card.getByText('Done with it.').waitFor()
  assert.is(await panel.getByLabel('What should be done?').inputValue(), '')
  const { json } = await scene.api.get('/v1/tasks')
  const record = await scene.service.store.tasks.get(json.tasks[0].id)
  assert.equal(
    [record?.approvals, record?.asksUser, record?.allowedDomains],
    ['always', false, ['shop.example', '*.tea.example']],
  )
})

test('[I11] an ended task is continued from the panel, on its terms', async ({ scene, panel }) => {
  play = (_, messages) => ({ answer: `It knows: ${/Done with it/.test(JSON.stringify(messages))}` })
  await panel.getByRole('article', { name: 'Look around' }).getByRole('button', { name: 'Continue' }).click()
  await panel.getByText('Continues “Look around”, on the same terms.').waitFor()
  await panel.waitForFunction("document.activeElement?.matches('textarea')")
  await panel.keyboard.type('And again')
  await panel.keyboard.press('Control+Enter')
  const card = panel.getByRole('article', { name: 'And again' })
  await card.getByText('It knows: true').waitFor()
  const { json } = await scene.api.get('/v1/tasks')
  const record = await scene.service.store.tasks.get(json.tasks[0].id)
  assert.equal(
    [record?.approvals, record?.asksUser, record?.allowedDomains, record?.continuesTaskId],
    ['always', false, ['shop.example', '*.tea.example'], json.tasks[1].id],
  )
})

test('[I11] [I1] a message from the panel reaches the model before its next reply, and is among the steps', async ({
  scene,
  session,
  panel,
}) => {
  let isSaid = (): void => {}
  const said = new Promise<void>((resolve) => {
    isSaid = resolve
  })
  play = async (turn, messages) => {
    if (turn === 0) {
      await said
      return call('computer', { action: 'wait', duration: 0.1 })
    }
    return { answer: /Take the green one/.test(JSON.stringify(messages)) ? 'The green one it is.' : 'Nobody said.' }
  }
  const id = await start(scene.api, session, 'Choose a tea')
  const card = panel.getByRole('article', { name: 'Choose a tea' })
  await card.getByLabel('Message to the task').fill('Take the green one')
  await card.getByRole('button', { name: 'Send' }).click()
  await card.getByText('Take the green one').waitFor()
  await eventually(
    async () => (await card.getByLabel('Message to the task').inputValue()) === '',
    'the field to be empty again',
  )
  isSaid()
  assert.is((await ended(scene.api, id)).answer, 'The green one it is.')
})

test('[I11] the panel says who has taken over where', async ({ scene, session, panel, pages }) => {
  play = (turn) =>
    turn === 0
      ? call('navigate', { url: `${pages.origin}/first` })
      : turn === 1
        ? call('computer', { action: 'wait', duration: 8 })
        : { answer: 'Enough.' }
  const id = await start(scene.api, session, 'Be held')
  const card = panel.getByRole('article', { name: 'Be held' })
  await card.getByText('Waits').waitFor()
  await scene.api.post(`/v1/tasks/${id}/pause`, {})
  await panel.reload()
  await card.getByText('Paused on the dashboard or by a program').waitFor()
  await panel.getByRole('contentinfo').getByRole('button', { name: 'Take over' }).click()
  await card.getByText('You have taken over').waitFor()
  const heldBy = async () => (await scene.api.get(`/v1/tasks/${id}`)).json.paused_by
  await eventually(async () => (await heldBy())?.length === 2, 'both to hold it')
  assert.equal(await heldBy(), ['client', 'browser'])
  await scene.api.post(`/v1/tasks/${id}/resume`, {})
  assert.equal(await heldBy(), ['browser'])
  await panel.bringToFront()
  await panel.getByRole('contentinfo').getByRole('button', { name: 'Hand back' }).click()
  await ended(scene.api, id)
  assert.is(await heldBy(), undefined)
})

test('[R57] a pause by a program, and its end, are in the panel while it stays connected', async ({
  scene,
  session,
  panel,
}) => {
  play = (turn) => (turn === 0 ? call('ask_user', { question: 'Which one?' }) : { answer: 'That one.' })
  const id = await start(scene.api, session, 'Wait for a program', { ask_user: true })
  const card = panel.getByRole('article', { name: 'Wait for a program' })
  await card.getByText('Which one?').waitFor()
  await panel.bringToFront()
  await card.getByLabel('Your answer').fill('The green')
  await scene.api.post(`/v1/tasks/${id}/pause`)
  await card.getByText('Paused on the dashboard or by a program').waitFor()
  assert.is(await card.getByLabel('Your answer').inputValue(), 'The green')
  await scene.api.post(`/v1/tasks/${id}/resume`)
  await card.getByText('Waiting for your answer').waitFor()
  assert.is(await card.getByText('Paused on the dashboard').count(), 0)
  await card.getByRole('button', { name: 'Answer', exact: true }).click()
  await ended(scene.api, id)
})

await test.run()
