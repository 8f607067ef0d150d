import { type Api, messageOf } from './api.ts'
import { useEffect, useState } from './view.ts'

/**
 * What a path of the API answers; `null`: not known yet. `attempt` does something and reads it again; `failed` says what
 * went wrong.
 */
export function useAnswer<Answer>(api: Api, path: string) {
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [failed, setFailed] = useState<string | null>(null)
  const read = async () => setAnswer(await api.get<Answer>(path))
  const attempt = (act: () => Promise<unknown>) => async () => {
    setFailed(null)
    await act().then(read, (error) => {
      setFailed(messageOf(error))
    })
  }
  useEffect(() => {
    read().catch((error) => setFailed(messageOf(error)))
  }, [api, path])
  return { answer, setAnswer, failed, read, attempt }
}
