import { type JournalCall, type JournalEntry, NO_USAGE } from '../../machines/records.ts'
import { ANSWERS, TO_MODEL } from '../../machines/texts.ts'
import type { ActorSystem } from '../runtime/actor-system.ts'
import type { Said } from './ask.ts'
import type { Conversation } from './conversation.ts'

/** What stands as the model of the replies of a sign-in. */
const SIGN_IN_MODEL = 'sign-in'

/**
 * [Z13] Stands where the model stands, for a task in which a person signs in: the page is opened, the person is asked, and
 * their answer ends it. `null`: the task is not a sign-in.
 */
export function signInReply(
  { ports: { ids } }: ActorSystem,
  { profile, entries, url }: Conversation,
  announced: readonly string[] | null,
): Said | null {
  if (!profile?.signIn) return null
  const call = (tool: string, input: JournalCall['input']): JournalCall => ({
    ...{ requestId: ids.uuid(), tool, input, refusal: null },
  })
  const resultOf = (tool: string) => entries.findLast((entry) => entry.kind === 'result' && entry.tool === tool)
  const [opened, answered] = [resultOf('navigate'), resultOf('ask_user')]
  const ask = call('ask_user', { question: ANSWERS.signIn.asked, takeover: true })
  const calls = answered
    ? [call('finish', endOf(answered))]
    : isFailed(opened)
      ? [call('finish', { success: false, answer: ANSWERS.signIn.notOpened })]
      : opened
        ? [ask]
        : [call('navigate', { url: url ?? '' }), ask]
  return { text: '', usage: NO_USAGE, model: SIGN_IN_MODEL, hasFinish: true, announced, calls }
}

const isFailed = (entry: JournalEntry | undefined) => entry?.kind === 'result' && entry.failed

function endOf(answered: JournalEntry) {
  const success = answered.kind === 'result' && !answered.failed && answered.text.includes(TO_MODEL.tookOver)
  return { success, answer: success ? ANSWERS.signIn.done : ANSWERS.signIn.notDone }
}
