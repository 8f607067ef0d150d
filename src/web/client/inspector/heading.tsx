interface HeadingProps {
  /** 2 or 3: how deep in the page. */
  readonly level: 2 | 3
  readonly id?: string
  readonly name: string
  /** What a reader finds out here. */
  readonly question: string
}

/** The name of a part of the page, and the question that it answers. */
export function Heading({ level, id, name, question }: HeadingProps) {
  const Level = `h${level}` as const
  return (
    <Level id={id} class="question">
      {name} <span class="quiet">{question}</span>
    </Level>
  )
}
