import { roughly, span } from '../format.ts'
import { longWaitMs, piecesOf, type Spent, timesOf } from './story.ts'

interface TimeBarProps {
  readonly story: Spent
  readonly from: number
  readonly until: number
}

/** Where the time went, in the order in which it was spent: model, tools, short pauses and waits to scale. */
export function TimeBar({ story, from, until }: TimeBarProps) {
  const pieces = piecesOf(story, from, until)
  const times = timesOf(pieces)
  const isShortened = ({ kind, ms }: (typeof pieces)[number]) =>
    (kind === 'other' || kind === 'pause') && ms > longWaitMs(times)
  return (
    <figure class="time-bar">
      <div class="pieces" aria-hidden="true">
        {pieces.map((piece, index) =>
          isShortened(piece) ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: what is first stays first
            <i key={index} class={`${piece.kind} shortened`}>
              {roughly(piece.ms)}
            </i>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: what is first stays first
            <i key={index} class={piece.kind} style={{ flexGrow: piece.ms }} />
          ),
        )}
      </div>
      <figcaption>
        <span class="model">Model {span(times.model)}</span> <span class="tools">Tools {span(times.tools)}</span>{' '}
        {times.pause === 0 ? null : <span class="pause">Paused {span(times.pause)}</span>}{' '}
        <span class="other">
          Waiting {span(times.other)}
          {pieces.some(isShortened) ? ' (long waits shortened)' : ''}
        </span>
      </figcaption>
    </figure>
  )
}
