import { Select } from '../ui.tsx'

/** Which deliveries are shown; empty texts: all. The names are those of the API. */
export interface Filter {
  readonly task_id: string
  readonly status: string
}

/** The filter that the page's address names. */
export function filterOfAddress(): Filter {
  const asked = new URLSearchParams(location.search)
  return { task_id: asked.get('task') ?? '', status: asked.get('status') ?? '' }
}

/** By status, and by a task where its page led here. The address can be kept and shared. */
export function DeliveryFilter(props: { readonly filter: Filter; change(filter: Filter): void }) {
  const { filter } = props
  const change = (next: Filter) => {
    const address = new URL(location.href)
    for (const [name, value] of [
      ['task', next.task_id],
      ['status', next.status],
    ] as const) {
      if (value === '') address.searchParams.delete(name)
      else address.searchParams.set(name, value)
    }
    history.replaceState(null, '', address)
    props.change(next)
  }
  return (
    <form class="filters row" onSubmit={(event) => event.preventDefault()}>
      <Select
        label="Status"
        id="delivery-status"
        value={filter.status}
        options={[
          ['', 'Any status'],
          ['pending', 'Pending'],
          ['delivered', 'Delivered'],
          ['failed', 'Failed'],
          ['skipped', 'Skipped'],
        ]}
        change={(status) => change({ ...filter, status })}
      />
      <label for="delivery-task">
        Task
        <input
          id="delivery-task"
          placeholder="Task id"
          value={filter.task_id}
          onChange={({ currentTarget }) => change({ ...filter, task_id: currentTarget.value.trim() })}
        />
      </label>
    </form>
  )
}
