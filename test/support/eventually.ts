const LOOK_MS = 10

/** Waits until the check holds, at most `ms`. */
export async function eventually(check: () => boolean | Promise<boolean>, what: string, ms = 5_000): Promise<void> {
  const end = performance.now() + ms
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`It never came to be: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
