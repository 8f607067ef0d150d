/** What a video or audio is doing. */

/** With controls of the browser's own, which are no elements of the page. */
export const isPlayer = (element: Element): element is HTMLMediaElement =>
  element instanceof HTMLMediaElement && element.controls

export const mediaStates = (media: HTMLMediaElement): string[] => [
  media.ended ? 'ended' : media.paused ? 'paused' : 'playing',
  ...(media.muted ? ['muted'] : []),
]

/** `0:12 of 3:40`; of one that plays only how long it is, or the page would never stand still. */
export function mediaTime({ currentTime, duration, paused }: HTMLMediaElement): string {
  if (!Number.isFinite(duration)) return ''
  return paused ? `${clock(currentTime)} of ${clock(duration)}` : clock(duration)
}

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
