import { messageOf } from './api.ts'
import { useEffect, useState } from './view.ts'

/**
 * What the API answers, read again whenever one of `of` is another one; `null`: not known yet. `attempt` does something
 * and reads it again; `failed` says what went wrong.
 */
export function useAnswer<Answer>(load: () => Promise<Answer>, of: readonly unknown[]) {
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [failed, setFailed] = useState<string | null>(null)
  const read = async () => setAnswer(await load())
  const attempt = (act: () => Promise<unknown>) => async () => {
    setFailed(null)
    await act().then(read, (error) => {
      setFailed(messageOf(error))
    })
  }
  useEffect(() => {
    // An answer that comes after another one was asked for is not shown.
    let isAwaited = true
    const ifAwaited =
      <Value>(set: (value: Value) => void) =>
      (value: Value) => {
        if (isAwaited) set(value)
      }
    load().then(ifAwaited(setAnswer), (error) => ifAwaited(setFailed)(messageOf(error)))
    return () => {
      isAwaited = false
    }
  }, [...of])
  return { answer, setAnswer, failed, read, attempt }
}
