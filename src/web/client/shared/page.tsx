import { openApi } from '../api.ts'
import { localDay, localTime } from '../format.ts'
import { StateBadge } from '../states.tsx'
import { Result } from '../task/answer.tsx'
import { WholeText } from '../task/details.tsx'
import { Button, CopyButton, Loading } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useMemo } from '../view.ts'

/** [V12] The result of a task for one who has its link: the answer and the output, to be read, copied and printed. */
export function SharedPage({ token, sharedBy }: { readonly token: string; readonly sharedBy: string | null }) {
  const api = useMemo(() => openApi(null), [])
  const { answer: result, failed } = useAnswer(
    () => api.request('GET /v1/shared/{token}', { path: { token } }),
    [api, token],
  )
  if (result === null) return <Loading failed={failed} />
  const { status, ended_by, answer, completed_at: endedAt, expires_at: expiresAt } = result
  return (
    <div class="shared">
      <div class="summary">
        <p class="facts">
          <StateBadge status={status} state="closed" ended_by={ended_by} />
        </p>
        <p class="facts quiet">
          {sharedBy === null ? null : <span>Shared by {sharedBy}</span>}
          {endedAt === null ? null : <span>Ended {localTime(endedAt)}</span>}
          <span>Link open until {localDay(expiresAt)}</span>
        </p>
        <div class="actions">
          {answer ? <CopyButton text={answer}>Copy answer</CopyButton> : null}
          <Button act={() => print()}>Print</Button>
        </div>
      </div>
      <section class={`answer ${status}`} aria-labelledby="answer-title">
        <h2 id="answer-title">{status === 'complete' ? 'Answer' : 'How it ended'}</h2>
        <Result {...result} sources={{}} />
        <WholeText text={result.task} />
      </section>
    </div>
  )
}
