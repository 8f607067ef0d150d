/** Ctrl-C under npm arrives twice, from the terminal and from npm: within this time it is the same one. */
const SAME_SIGNAL_MS = 250
const isUnderNpm = (): boolean => /^(start|demo|npx)$/.test(process.env.npm_lifecycle_event ?? '')
const sameSignalMs = (): number => (isUnderNpm() ? SAME_SIGNAL_MS : 0)

const PARENT_LOOK_MS = 250
const parent = process.ppid
/**
 * npm starts commands through a shell. On SIGTERM npm tells the shell alone, which ends without passing it on: that its
 * parent is another one now is all that the command hears of it.
 */
const whenOrphaned = (orphaned: () => unknown): NodeJS.Timeout =>
  setInterval(() => {
    if (process.ppid === parent) return
    orphaned()
  }, PARENT_LOOK_MS).unref()

/**
 * The first SIGINT or SIGTERM runs `first`; a second one ends the process at once.
 * Returns what takes the listeners away again.
 */
export function onInterrupt(first: (signal: NodeJS.Signals) => void): () => void {
  let asked: { signal: NodeJS.Signals; at: number } | null = null
  const interrupted = (signal: NodeJS.Signals) => {
    const now = performance.now()
    if (asked === null) {
      asked = { signal, at: now }
      first(signal)
    } else if (asked.signal !== signal || now - asked.at >= sameSignalMs()) process.exit(1)
  }
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.on(signal, interrupted)
  const watch = isUnderNpm() ? whenOrphaned(() => asked === null && interrupted('SIGTERM')) : null
  return () => {
    if (watch !== null) clearInterval(watch)
    for (const signal of signals) process.off(signal, interrupted)
  }
}
