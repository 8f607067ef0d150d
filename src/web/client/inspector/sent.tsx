import type { SentRequest } from '../../../../actors/inspection/shown.ts'
import { Pre } from '../ui.tsx'
import { useEffect, useState } from '../view.ts'

interface SentProps {
  readonly taskId: string
  readonly step: number
}

const WHO = { user: 'The service', assistant: 'The model', tool: 'Results of its tools' } as const

/** [P42] What the model was sent for a step; read when it is opened. */
export function Sent({ taskId, step }: SentProps) {
  const [isOpen, setOpen] = useState(false)
  const [sent, setSent] = useState<SentRequest | 'none' | null>(null)
  useEffect(() => {
    setSent(null)
    if (!isOpen) return
    let isStale = false
    fetch(`/inspector/requests/${taskId}/${step}`)
      .then((answer) => (answer.ok ? answer.json() : 'none'))
      .catch(() => 'none')
      .then((read) => isStale || setSent(read))
    return () => {
      isStale = true
    }
  }, [isOpen, taskId, step])
  return (
    <details class="request" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What the model was sent for step {step}</summary>
      {isOpen && sent === null ? <p class="loading">Loading …</p> : null}
      {sent === 'none' ? <p class="empty">No model was asked in this step, or its log is not kept any more.</p> : null}
      {sent !== null && sent !== 'none' ? (
        <>
          <p class="quiet">
            {sent.model}. Tools: {sent.tools.join(', ') || 'none'}
          </p>
          <h3>Instructions</h3>
          {sent.system === null ? (
            <p class="empty">Those of another version of the service, which are not kept.</p>
          ) : (
            <Pre label="The instructions">{sent.system}</Pre>
          )}
          <ol class="sent">
            {sent.messages.map(({ role, text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they are never moved
              <li key={index}>
                <h3>{WHO[role]}</h3>
                <Pre label={`Message ${index + 1}`}>{text}</Pre>
              </li>
            ))}
          </ol>
        </>
      ) : null}
    </details>
  )
}
