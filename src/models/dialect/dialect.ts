import type { ModelRequest } from '../../../actors/runtime/ports.ts'
import { HOUR_MS } from '../../../machines/limits.ts'
import { answerOf } from '../failure.ts'
import type { Generated } from '../generated.ts'
import type { Ask, Provider } from '../provider.ts'
import type { Form } from '../wire/form.ts'
import { LESSONS } from './lessons.ts'

/** What was learnt of an endpoint is asked anew after this time: endpoints change. */
export const FORM_KEPT_MS = 24 * HOUR_MS
/** [L48] How often one request is sent again in another form. */
export const FORM_CHANGES_MAX = 3

/** The endpoint's own form of request, learnt from what it refuses. */
export interface Dialect {
  /** With the form in which the request was taken. */
  ask(...asked: Parameters<Ask>): Promise<{ generated: Generated; form: Form }>
  /** What was learnt, in words. */
  readonly lessons: () => readonly string[]
}

/**
 * [L48] Asks a provider in the form that its endpoint takes. A refusal of the request's form that is known (lessons.ts) is
 * answered by the same request in another form, at most FORM_CHANGES_MAX times; the form that was taken is kept for FORM_KEPT_MS.
 * `told` is given each lesson once, in words. @throws what the provider threw, where no lesson fits.
 */
export function openDialect(provider: Provider, told: (lesson: string) => void, now = Date.now): Dialect {
  const first = { form: provider.form, ask: provider.inForm(provider.form), lessons: [] as readonly string[] }
  let known = first
  let learntAt = 0
  async function ask(...[request, signal, hear]: Parameters<Ask>) {
    if (known !== first && now() - learntAt >= FORM_KEPT_MS) known = first
    let current = known
    for (let changes = 0; ; changes++) {
      try {
        const generated = await current.ask(request, signal, hear)
        if (current !== known) {
          for (const lesson of current.lessons.filter((each) => !known.lessons.includes(each))) told(lesson)
          known = current
          learntAt = now()
        }
        return { generated, form: current.form }
      } catch (error) {
        const learnt = changes < FORM_CHANGES_MAX && !signal.aborted ? lessonFor(error, current.form, request) : null
        if (!learnt) throw error
        const form = { ...current.form, ...learnt.change }
        current = { form, ask: provider.inForm(form), lessons: [...current.lessons, learnt.words] }
      }
    }
  }
  return { ask, lessons: () => known.lessons }
}

const REFUSALS = [400, 404, 405, 413, 415, 422, 501]

function lessonFor(error: unknown, form: Form, request: ModelRequest): { change: Partial<Form>; words: string } | null {
  const answer = answerOf(error)
  if (!answer || !REFUSALS.includes(answer.status)) return null
  const said = answer.body ?? ''
  for (const { refusal, statuses, change, words } of LESSONS) {
    if (!(statuses?.includes(answer.status) ?? false) && !refusal.test(said)) continue
    const changed = change(form, said, request)
    if (changed) return { change: changed, words }
  }
  return null
}
