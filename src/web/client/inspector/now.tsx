interface NowProps {
  /** Of the state that an actor is in. */
  readonly meaning: string | null
  readonly isOver: boolean
}

/** What an actor does now; of one that has ended, the sentence of its last state would say what it was about to do. */
export function Now({ meaning, isOver }: NowProps) {
  if (isOver) return <strong>Finished.</strong>
  return meaning === null ? null : <strong>Now: {meaning}.</strong>
}
