import { CONSENT_MS_MIN } from '../limits.ts'
import type { Question } from '../messages.ts'
import { element, say, tell } from './dom.ts'

/** [S15] The window that asks for consent before pairing. It shows the service's address and the workspace's name as stored there; nothing is paired until the user agrees. */

const yes = element<HTMLButtonElement>('yes')
const no = element<HTMLButtonElement>('no')

async function answer(agreed: boolean): Promise<void> {
  yes.disabled = true
  no.disabled = true
  const error = await tell({ type: 'answer', agreed })
  if (error === null) return window.close()
  say('error', error)
  no.textContent = 'Close'
  no.disabled = false
  no.onclick = () => window.close()
}

async function ask(): Promise<void> {
  const question = (await chrome.runtime.sendMessage({ type: 'question' })) as Question | null
  if (!question) return say('error', 'This pairing request is no longer open.')
  say('origin', question.origin)
  const { link } = question
  no.focus()
  if (!link) return say('error', 'The service did not say which workspace this link is for, so nothing can be paired.')
  say('workspace', link.workspace)
  say('created-by', link.createdBy ?? 'unknown')
  if (link.label !== null) say('label', link.label)
  element('link').hidden = false
  element('label-row').hidden = link.label === null
  if (question.current) say('current', replaces(question.current))
  // A click or a key that was meant for what lay below this window must not be its answer.
  setTimeout(() => {
    yes.disabled = false
  }, CONSENT_MS_MIN)
}

const replaces = ({ origin, workspace }: NonNullable<Question['current']>): string =>
  `This browser is paired with ${origin}${workspace === null ? '' : ` (workspace ${workspace})`} now. That pairing ends.`

yes.onclick = () => void answer(true)
no.onclick = () => void answer(false)
ask().catch(() => say('error', 'The extension is not responding. Close this window and try again.'))
