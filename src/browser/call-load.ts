/** What a tool call cost the process that carried it out, beside the browser: such a process serves many tasks at once. */
export interface CallLoad {
  readonly tool: string
  /** CPU that the process used meanwhile, other calls included; `null` where a process does not know (an extension). */
  readonly cpuMs: number | null
  /** The longest time for which its event loop served nothing else. */
  readonly blockedMs: number
}

/** The loop is asked this often whether it is late. */
const TICK_MS = 20

interface NodeProcess {
  cpuUsage?(since?: { user: number; system: number }): { user: number; system: number }
}
const { process } = globalThis as { process?: NodeProcess }

/** Runs a call and measures it, however it ends. */
export async function withLoad<T>(tool: string, run: () => Promise<T>, measured: (load: CallLoad) => void): Promise<T> {
  const cpu = process?.cpuUsage?.()
  let blockedMs = 0
  let last = performance.now()
  const look = () => {
    const now = performance.now()
    blockedMs = Math.max(blockedMs, now - last - TICK_MS)
    last = now
  }
  const timer = setInterval(look, TICK_MS)
  try {
    return await run()
  } finally {
    clearInterval(timer)
    look()
    const used = cpu && process?.cpuUsage?.(cpu)
    measured({
      tool,
      cpuMs: used ? Math.round((used.user + used.system) / 1_000) : null,
      blockedMs: Math.round(blockedMs),
    })
  }
}
