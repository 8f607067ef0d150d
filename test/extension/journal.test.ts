import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Journal } from '../../src/extension/journal.ts'
import { PANEL_STEPS_MAX, THUMBNAILS_PER_TASK_MAX } from '../../src/extension/limits.ts'
import type { PanelState } from '../../src/extension/panel-state.ts'
import { eventually } from '../support/eventually.ts'
import { storageArea } from './storage-area.ts'

const test = suite('what the panel is shown')

function begun() {
  const area = storageArea()
  Object.assign(globalThis, { chrome: { storage: { session: area } } })
  const journal = new Journal(area, () => {})
  journal.heard({ type: 'task_started', targetSessionId: 's', requestId: 'r', taskId: 't', task: 'Look' })
  const step = (status: string, tool = 'navigate') =>
    journal.heard({
      type: 'task_update',
      targetSessionId: 's',
      requestId: 'r',
      taskId: 't',
      steps: 1,
      step: { tool, input: { url: 'x' }, status },
    })
  const pictures = () => [...area.kept.keys()].filter((key) => key.startsWith('thumbnail:'))
  const steps = async () => (await journal.state()).tasks[0]?.steps ?? []
  /** Once no more pictures are kept than that. */
  const picturesAre = (count: number) => eventually(() => pictures().length === count, `${count} pictures`)
  return { area, journal, step, pictures, picturesAre, steps }
}

test('a picture is of the step at hand, however fast the next one follows', async () => {
  const { area, journal, step, steps } = begun()
  for (const jpeg of ['one', 'two', 'three']) {
    step('tool_use')
    journal.seen('t', jpeg)
    step('tool_result')
  }
  const seen = (await steps()).map(({ thumbnail }) => area.kept.get(thumbnail ?? ''))
  assert.equal(seen, ['one', 'two', 'three'])
})

test('pictures that are not shown any more are kept no longer', async () => {
  const { area, journal, step, pictures, picturesAre, steps } = begun()
  for (let at = 0; at < THUMBNAILS_PER_TASK_MAX + 3; at++) {
    step('tool_use')
    journal.seen('t', `${at}`)
  }
  const shown = (await steps()).flatMap(({ thumbnail }) => thumbnail ?? [])
  await picturesAre(THUMBNAILS_PER_TASK_MAX)
  assert.is(shown.length, THUMBNAILS_PER_TASK_MAX)
  assert.equal(pictures().sort(), [...shown].sort())
  assert.is(area.kept.get(shown[0] ?? ''), '3')
  for (let at = 0; at < PANEL_STEPS_MAX - 1; at++) step('tool_use', 'read_page')
  assert.is((await steps()).length, PANEL_STEPS_MAX)
  await picturesAre(1)
  journal.clear()
  await picturesAre(0)
})

test('a picture that cannot be kept is left out, and what follows is shown all the same', async () => {
  const { area, journal, step, steps } = begun()
  const set = area.set
  area.set = async (items) => {
    if (Object.keys(items).some((key) => key.startsWith('thumbnail:'))) throw new Error('QUOTA_BYTES quota exceeded')
    return set(items)
  }
  step('tool_use')
  journal.seen('t', 'too much')
  step('tool_error')
  const shown: PanelState['tasks'][number]['steps'] = await steps()
  assert.equal(
    shown.map(({ state, thumbnail }) => ({ state, thumbnail })),
    [{ state: 'failed', thumbnail: null }],
  )
})

test.run()
