import { Button, Failure } from '../../web/client/ui.tsx'
import { render, useEffect, useRef, useState } from '../../web/client/view.ts'
import { CONSENT_MS_MIN } from '../limits.ts'
import type { Question } from '../messages.ts'
import { rootOf, tell } from './worker.ts'

const NO_LINK = 'The service did not say which workspace this link is for, so nothing can be paired.'
const CLOSED = 'This pairing request is no longer open.'
const SILENT = 'The extension is not responding. Close this window and try again.'

/**
 * [S15] The window that asks for consent before pairing. It shows the service's address and the workspace's name as
 * stored there; nothing is paired until the user agrees.
 */
function Consent() {
  const [question, setQuestion] = useState<Question | null>(null)
  const [failed, setFailed] = useState<string | null>(null)
  const [isReady, setReady] = useState(false)
  const [isOver, setOver] = useState(false)
  const actions = useRef<HTMLDivElement>(null)
  const link = question?.link ?? null

  useEffect(() => {
    const ask = async () => {
      const asked = (await chrome.runtime.sendMessage({ type: 'question' })) as Question | null
      setQuestion(asked)
      if (!asked) return setFailed(CLOSED)
      actions.current?.querySelector<HTMLButtonElement>('.plain')?.focus()
      if (!asked.link) return setFailed(NO_LINK)
      // A click or a key that was meant for what lay below this window must not be its answer.
      setTimeout(() => setReady(true), CONSENT_MS_MIN)
    }
    ask().catch(() => setFailed(SILENT))
  }, [])
  const answer = (agreed: boolean) => async () => {
    if (isOver) return window.close()
    const error = await tell({ type: 'answer', agreed })
    if (error === null) return window.close()
    setFailed(error)
    setOver(true)
  }
  return (
    <main>
      <h1>Pair this browser?</h1>
      <p>A page asks to pair this browser with the service at</p>
      {question ? <p class="service">{question.origin}</p> : null}
      {link ? (
        <dl class="terms">
          <dt>Workspace</dt>
          <dd id="workspace">{link.workspace}</dd>
          <dt>Link created by</dt>
          <dd id="created-by">{link.createdBy ?? 'unknown'}</dd>
          {link.label === null ? null : (
            <>
              <dt>Label set by the link’s creator</dt>
              <dd id="label">{link.label}</dd>
            </>
          )}
        </dl>
      ) : null}
      <p>
        Tasks of this workspace will then open tabs here, in tab groups of their own, and act as you on every site where
        you are signed in, unless you block the site in the options. You can watch, take over and stop each task.
      </p>
      <p>Pair only if you know this address and this workspace.</p>
      {question?.current ? <p class="notice">{replaces(question.current)}</p> : null}
      <Failure message={failed} />
      <div class="actions" ref={actions}>
        <Button kind="main" disabled={!isReady || isOver} act={answer(true)}>
          Pair
        </Button>
        <Button act={answer(false)}>{isOver ? 'Close' : 'Do not pair'}</Button>
      </div>
    </main>
  )
}

const replaces = ({ origin, workspace }: NonNullable<Question['current']>): string =>
  `This browser is paired with ${origin}${workspace === null ? '' : ` (workspace ${workspace})`} now. That pairing ends.`

render(<Consent />, rootOf())
