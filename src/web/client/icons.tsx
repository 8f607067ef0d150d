/** Icons: 16 × 16, drawn with lines in the colour of the text beside them. They say nothing of their own. */
const PATHS = {
  check: 'M3 8.5l3.5 3.5L13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  skip: 'M4 8h8',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.2l2.2 1.4',
  play: 'M5 3.2v9.6l7.5-4.8z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  stop: 'M4 4h8v8H4z',
  hand: 'M5 8V4.2a1 1 0 0 1 2 0V7V3a1 1 0 0 1 2 0v4V4a1 1 0 0 1 2 0v5.5A4 4 0 0 1 7 13.5C5 13.5 4.4 12.3 3 9.6a1 1 0 0 1 1.7-.9L5 9z',
  question: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.3 6.3a1.8 1.8 0 1 1 2.4 1.8c-.5.2-.7.5-.7 1M8 11.3v.2',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  again: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14',
  browser: 'M2 3h12v10H2zM2 6h12M4 4.5h.2M6 4.5h.2',
  chat: 'M2.5 3h11v7.5H8L5 13.2v-2.7H2.5z',
  left: 'M10 3L5 8l5 5',
  right: 'M6 3l5 5-5 5',
  eye: 'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6a1.8 1.8 0 0 0 0-3.6z',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  dots: 'M3.4 8h.2M7.9 8h.2M12.4 8h.2',
  key: 'M5.2 7.6a2.6 2.6 0 1 0 0 5.2a2.6 2.6 0 0 0 0-5.2zM7.1 8.4L13 2.5M10.5 5l2 2',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.2M2.5 8h.2M2.5 12h.2',
  person: 'M8 2.5a2.7 2.7 0 1 0 0 5.4a2.7 2.7 0 0 0 0-5.4zM2.8 13.5a5.2 4.6 0 0 1 10.4 0',
  send: 'M2.5 8h10M8.5 4L12.5 8l-4 4',
  warning: 'M8 2.2L14.5 13.5h-13zM8 6.5v3.2M8 11.6v.2',
} as const
export type IconName = keyof typeof PATHS

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
