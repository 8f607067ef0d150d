import type { Sentences } from '../../../../actors/inspection/shown.ts'
import { useEffect, useState } from '../view.ts'

type AllSentences = Readonly<Record<string, Sentences>>

let known: Promise<AllSentences> | null = null

/** The sentences of all machines, by kind of actor; none until they have come. */
export function useSentences(): AllSentences {
  const [all, setAll] = useState<AllSentences>({})
  useEffect(() => {
    known ??= fetch('/inspector/sentences').then((answer) => (answer.ok ? answer.json() : {}))
    known.then(setAll, () => {
      known = null
    })
  }, [])
  return all
}

/** What the state means that an actor is in: the innermost one that has a sentence. */
export const meaningOf = (sentences: Sentences | undefined, states: readonly string[]): string | null =>
  states.map((state) => sentences?.states[state] ?? '').findLast((sentence) => sentence !== '') ?? null
