import { type Api, messageOf, saveAs, type TaskSummary } from '../api.ts'
import { count } from '../format.ts'
import { Button, ConfirmButton, Failure } from '../ui.tsx'
import { useState } from '../view.ts'
import { csvOf } from './csv.ts'

interface BulkProps {
  readonly api: Api
  /** Whether the reader may do more than look on. */
  readonly mayAct: boolean
  readonly chosen: readonly TaskSummary[]
  readonly shown: readonly TaskSummary[]
  choose(ids: readonly string[]): void
  done(): Promise<unknown>
}

/** What can be done with several tasks at once. */
export function Bulk({ api, mayAct, chosen, shown, choose, done }: BulkProps) {
  const [failed, setFailed] = useState<string | null>(null)
  const running = chosen.filter(({ status }) => status === 'running')
  const ended = chosen.filter(({ status }) => status !== 'running')
  /** One after the other; those that are left when one is refused stay chosen. */
  const forEach = (tasks: readonly TaskSummary[], act: (id: string) => Promise<unknown>) => async () => {
    setFailed(null)
    const left = new Set(tasks.map(({ id }) => id))
    try {
      for (const { id } of tasks) {
        await act(id)
        left.delete(id)
      }
    } catch (error) {
      setFailed(`${tasks.length - left.size} of ${count(tasks.length, 'task')} done. ${messageOf(error)}`)
    }
    choose([...left])
    await done()
  }
  const save = (type: 'csv' | 'json') => () => {
    const text = type === 'csv' ? csvOf(chosen) : JSON.stringify(chosen, null, 2)
    saveAs(new Blob([text], { type: type === 'csv' ? 'text/csv' : 'application/json' }), `tasks.${type}`)
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: no set of fields */}
      <div class={chosen.length === 0 ? 'bulk' : 'bulk on'} role="group" aria-label="With the selected tasks">
        <label class="all">
          <input
            type="checkbox"
            disabled={shown.length === 0}
            checked={chosen.length > 0 && chosen.length === shown.length}
            onChange={({ currentTarget }) => choose(currentTarget.checked ? shown.map(({ id }) => id) : [])}
          />{' '}
          <span class={chosen.length === 0 ? 'hidden' : ''}>
            {chosen.length === 0 ? 'Select all' : `${chosen.length} selected`}
          </span>
        </label>
        {chosen.length === 0 ? null : (
          <>
            {!mayAct || running.length === 0 ? null : (
              <ConfirmButton
                kind="danger"
                question={`Stop ${count(running.length, 'task')}? What they have done so far stays done.`}
                act={forEach(running, (id) => api.tasks.cancel(id))}
              >
                Stop {running.length}
              </ConfirmButton>
            )}
            {!mayAct || ended.length === 0 ? null : (
              <ConfirmButton
                question={`Run ${count(ended.length, 'task')} again?`}
                act={forEach(ended, (id) => api.tasks.rerun(id))}
              >
                Run {ended.length} again
              </ConfirmButton>
            )}
            <Button act={save('csv')}>Export as CSV</Button>
            <Button act={save('json')}>Export as JSON</Button>
          </>
        )}
      </div>
      <Failure message={failed} />
    </>
  )
}
