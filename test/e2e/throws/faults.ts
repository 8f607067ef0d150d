/** One throw at a port of the actors. */
export interface Fault {
  readonly name: string
  readonly port: string
  /** Only a use with such arguments. */
  readonly when?: (args: readonly unknown[]) => boolean
}

/** A fault that is named as its port, or as its port and the kind of thing that it is given. */
const at = (port: string): Fault => ({ name: port, port })
const atKind = (port: string, key: 'type' | 'kind', kind: string): Fault => ({
  name: `${port} of ${kind}`,
  port,
  when: (args) => JSON.stringify(args).includes(`"${key}":"${kind}"`),
})

/** In the order in which they are thrown. What the clock says is not among them: time is read, and cannot fail. */
export const FAULTS: readonly Fault[] = [
  at('model.ask'),
  at('tools.check'),
  atKind('outbox.send', 'type', 'mcp_execute_tool'),
  atKind('outbox.send', 'type', 'task_update'),
  at('ids.uuid'),
  atKind('store.commit', 'kind', 'log.append'),
  atKind('store.commit', 'kind', 'task.insert'),
  at('store.tasks.end'),
  at('store.ledger.charge'),
  at('store.usage.record'),
  atKind('outbox.send', 'type', 'task_complete'),
  at('webhook.post'),
  at('clock.setTimeout'),
]
