const LOOK_MS = 10
/** A request to a service costs both sides a millisecond or more: it is sent less often the longer it is waited. */
const ASK_MS_MAX = 50

/** Waits until the check holds, at most `ms`. */
export async function eventually(check: () => boolean | Promise<boolean>, what: string, ms = 5_000): Promise<void> {
  const started = performance.now()
  for (;;) {
    const answer = check()
    if (await answer) return
    const waited = performance.now() - started
    if (waited > ms) throw new Error(`It never came to be: ${what}`)
    const pause = answer instanceof Promise ? Math.min(ASK_MS_MAX, Math.max(LOOK_MS, waited / 10)) : LOOK_MS
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
