import type { ModelRequest } from '../../../actors/runtime/ports.ts'
import { HOUR_MS } from '../../../machines/limits.ts'
import { answerOf } from '../failure.ts'
import type { Generated } from '../generated.ts'
import type { Ask, Provider } from '../provider.ts'
import { SAID_CHARS_MAX } from '../too-long.ts'
import type { Form } from '../wire/form.ts'
import { LESSONS, type Lesson } from './lessons.ts'

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
 * [L50] It is not kept where the refusal is of that request alone: of its length, or of what the endpoint has taken of others
 * within FORM_KEPT_MS, such as a picture. Requests of all tasks have the form that is kept.
 * `told` is given each lesson once, in words. @throws what the provider threw, where no lesson fits.
 */
export function openDialect(provider: Provider, told: (lesson: string) => void, now = Date.now): Dialect {
  const first = { form: provider.form, ask: provider.inForm(provider.form), lessons: [] as readonly string[] }
  let known = first
  let learntAt = 0
  /** When the endpoint last took what a lesson would leave out. */
  const disproved = new Map<Lesson, number>()
  const isOfRequest = (lesson: Lesson, said: string) =>
    (lesson.isOfRequest?.(said) ?? false) || now() - (disproved.get(lesson) ?? -FORM_KEPT_MS) < FORM_KEPT_MS
  async function ask(...[request, signal, hear]: Parameters<Ask>) {
    if (known !== first && now() - learntAt >= FORM_KEPT_MS) known = first
    let current = known
    let isKept = true
    for (let changes = 0; ; changes++) {
      try {
        const generated = await current.ask(request, signal, hear)
        for (const each of LESSONS) if (each.disproves?.(current.form, request)) disproved.set(each, now())
        if (current !== known && isKept) {
          for (const lesson of current.lessons.filter((each) => !known.lessons.includes(each))) told(lesson)
          known = current
          learntAt = now()
        }
        return { generated, form: current.form }
      } catch (error) {
        const learnt = changes < FORM_CHANGES_MAX && !signal.aborted ? lessonFor(error, current.form, request) : null
        if (!learnt) throw error
        isKept &&= !isOfRequest(learnt.lesson, learnt.said)
        const form = { ...current.form, ...learnt.change }
        current = { form, ask: provider.inForm(form), lessons: [...current.lessons, learnt.lesson.words] }
      }
    }
  }
  return { ask, lessons: () => known.lessons }
}

const REFUSALS = [400, 404, 405, 413, 415, 422, 501]

interface Learnt {
  readonly lesson: Lesson
  readonly said: string
  readonly change: Partial<Form>
}

function lessonFor(error: unknown, form: Form, request: ModelRequest): Learnt | null {
  const answer = answerOf(error)
  if (!answer || !REFUSALS.includes(answer.status)) return null
  const said = (answer.body ?? '').slice(0, SAID_CHARS_MAX)
  for (const lesson of LESSONS) {
    if (!(lesson.statuses?.includes(answer.status) ?? false) && !lesson.refusal.test(said)) continue
    const change = lesson.change(form, said, request)
    if (change) return { lesson, said, change }
  }
  return null
}
