import type { TaskEvent } from '../../../client/index.ts'
import { namesIn, wordsFor } from '../../../wire/tool-words.ts'
import { spaced } from '../format.ts'

type Of<Type extends TaskEvent['type']> = Extract<TaskEvent, { type: Type }>

/** A call of a tool, and what came of it. */
export interface Call {
  readonly id: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /** In plain words: `Fills in E-mail`. */
  readonly words: string
  readonly state: 'doing' | 'done' | 'failed' | 'skipped'
  readonly at: number
  readonly output: string
  readonly error: string | null
  readonly durationMs: number | null
  /** The number of its picture. */
  readonly picture: number | null
}

/** What happened beside the calls of a step. */
export interface Note {
  readonly seq: number
  readonly at: number
  readonly words: string
  readonly kind: 'message' | 'browser' | 'input' | 'budget' | 'file' | 'check'
}

export interface Step {
  readonly number: number
  readonly at: number
  readonly repliedAt: number | null
  readonly text: string
  readonly calls: readonly Call[]
  readonly notes: readonly Note[]
}

/** `to`: `null` while it waits. */
export interface Wait {
  readonly from: number
  readonly to: number | null
}

/** What a task has done so far, as its events tell it. */
export interface Story {
  readonly seq: number
  readonly steps: readonly Step[]
  /** What happened before the first step. */
  readonly notes: readonly Note[]
  /** How many screenshots were taken. */
  readonly screenshots: number
  /** How many files were downloaded. */
  readonly downloads: number
  readonly state: string
  /** Since when it is in this state. */
  readonly stateAt: number | null
  readonly model: string | null
  /** Address of the last page that an event named. */
  readonly address: string | null
  readonly endedAt: number | null
  /** When the task has asked its user, and when that was over. */
  readonly waits: readonly Wait[]
  /** When it was paused. */
  readonly pauses: readonly Wait[]
  /** What pages called their elements, by ref. */
  readonly names: ReadonlyMap<string, string>
}

export const EMPTY: Story = {
  seq: 0,
  steps: [],
  notes: [],
  screenshots: 0,
  downloads: 0,
  state: 'starting',
  stateAt: null,
  model: null,
  address: null,
  endedAt: null,
  waits: [],
  pauses: [],
  names: new Map(),
}

/** The story with one more event. */
export function told(before: Story, event: TaskEvent): Story {
  const story = { ...before, seq: event.seq }
  switch (event.type) {
    case 'task.state':
      return { ...story, state: event.state, stateAt: event.at, pauses: pausesAfter(story.pauses, event) }
    case 'step.started':
      return {
        ...story,
        steps: [...story.steps, { number: event.step, at: event.at, repliedAt: null, text: '', calls: [], notes: [] }],
      }
    case 'model.replied':
      return {
        ...changed(story, (step) => ({ ...step, text: event.text, repliedAt: event.at })),
        model: event.model,
      }
    case 'tool.called':
      return event.step === 0 ? noted(story, event) : called(story, event)
    case 'tool.result':
      return settled(story, event)
    case 'picture.taken':
      return withPicture(story, event.call_id, event.picture)
    case 'input.requested':
      return { ...noted(story, event), waits: [...story.waits, { from: event.at, to: null }] }
    case 'input.answered':
      return { ...noted(story, event), waits: story.waits.map((wait) => ({ ...wait, to: wait.to ?? event.at })) }
    case 'file.downloaded':
      return { ...noted(story, event), downloads: story.downloads + 1 }
    case 'task.ended':
      return { ...story, steps: story.steps.map(withoutCallsUnderWay), state: 'closed', endedAt: event.at }
    default:
      return noted(story, event)
  }
}

/** One that goes on is over with the next state that is none. */
function pausesAfter(pauses: readonly Wait[], { state, at }: Of<'task.state'>): readonly Wait[] {
  const isPaused = pauses.at(-1)?.to === null
  if (state === 'paused') return isPaused ? pauses : [...pauses, { from: at, to: null }]
  return isPaused ? pauses.map((pause) => ({ ...pause, to: pause.to ?? at })) : pauses
}

/** What was under way when the task ended has no result any more. */
const withoutCallsUnderWay = (step: Step): Step => ({
  ...step,
  calls: step.calls.map((call) =>
    call.state === 'doing' ? { ...call, state: 'failed', error: 'The task ended before this was done.' } : call,
  ),
})

function noted(story: Story, event: TaskEvent): Story {
  const note = noteOf(event)
  if (note === null) return story
  return story.steps.length === 0
    ? { ...story, notes: [...story.notes, note] }
    : changed(story, (step) => ({ ...step, notes: [...step.notes, note] }))
}

/** With the last step changed. */
const changed = (story: Story, change: (step: Step) => Step): Story => ({
  ...story,
  steps: story.steps.map((step, index) => (index === story.steps.length - 1 ? change(step) : step)),
})

function called(story: Story, event: Of<'tool.called'>): Story {
  const { tool, input } = event
  const call: Call = {
    id: event.call_id,
    tool,
    input,
    words: wordsFor(tool, input, (ref) => story.names.get(ref) ?? null),
    state: 'doing',
    at: event.at,
    output: '',
    error: null,
    durationMs: null,
    picture: null,
  }
  return changed(story, (step) => ({ ...step, calls: [...step.calls, call] }))
}

/** So begins the error of a call that was never made. */
const NOT_RUN = 'Not run'

function settled(story: Story, event: Of<'tool.result'>): Story {
  const { output, error = null } = event
  const names = namesIn(output, story.names)
  const picture = event.has_screenshot ? story.screenshots : null
  const done = (call: Call): Call =>
    call.id !== event.call_id
      ? call
      : {
          ...call,
          words: wordsFor(call.tool, call.input, (ref) => names.get(ref) ?? null),
          state: error === null ? 'done' : error.startsWith(NOT_RUN) ? 'skipped' : 'failed',
          output,
          error,
          durationMs: event.duration_ms,
          picture,
        }
  return {
    ...changed(story, (step) => ({ ...step, calls: step.calls.map(done) })),
    names,
    screenshots: story.screenshots + (picture === null ? 0 : 1),
    address: /^(?:Page ".*" \(|URL: )(https?:\/\/[^\s)]+)/m.exec(output)?.[1] ?? story.address,
  }
}

/** A screenshot that the model has seen is larger: it stays. */
const withPicture = (story: Story, callId: string, picture: number): Story => ({
  ...story,
  steps: story.steps.map((step) =>
    step.calls.some(({ id }) => id === callId)
      ? {
          ...step,
          calls: step.calls.map((call) => (call.id === callId ? { ...call, picture: call.picture ?? picture } : call)),
        }
      : step,
  ),
})

function noteOf(event: TaskEvent): Note | null {
  const note = (kind: Note['kind'], words: string): Note => ({ seq: event.seq, at: event.at, kind, words })
  switch (event.type) {
    // [L47] The address of the task is opened before its first step.
    case 'tool.called':
      return note(
        'browser',
        wordsFor(event.tool, event.input, () => null),
      )
    case 'message.received':
      return note('message', `You said: ${event.text}`)
    case 'browser.away':
      return note('browser', 'The browser went away')
    case 'browser.connected':
      return note('browser', 'The browser is back')
    case 'input.requested':
      return note('input', `${ASKED[event.kind] ?? 'It asked'}: ${event.message}`)
    case 'input.answered':
      return note('input', ANSWERED[event.action] ?? 'It was answered')
    case 'file.downloaded':
      return note('file', `Downloaded ${event.name}`)
    case 'answer.checked':
      return note('check', 'Checks its answer before it counts')
    case 'budget.warned':
      return note('budget', `80 % of the budget is used: ${spaced(event.budget)}`)
    default:
      return null
  }
}

const ASKED: Readonly<Record<string, string>> = {
  question: 'It asked',
  approval: 'It asked for approval',
  takeover: 'It asked you to take over',
}
const ANSWERED: Readonly<Record<string, string>> = {
  accept: 'You agreed or answered',
  decline: 'You declined',
  cancel: 'Nobody answered in time',
}

/** What a task did with its time. */
type Spending = 'model' | 'tools' | 'pause' | 'other'

/** A part of the time of a task; `pause`: somebody else had its tab; `other`: it waited for an answer, a browser or a place. */
export interface Piece {
  readonly kind: Spending
  readonly ms: number
}

/** What of a story says where the time went. */
export type Spent = Pick<Story, 'steps' | 'waits' | 'pauses'>

/** Where the time went, from beginning to end: each moment is in one piece, so that all pieces are as long as the task. */
export function piecesOf({ steps, waits, pauses }: Spent, from: number, until: number): Piece[] {
  const spans: { readonly kind: Spending; readonly from: number; readonly to: number }[] = [
    // During a pause, and while the user is asked, the call waits.
    ...pauses.map((pause) => ({ kind: 'pause' as const, from: pause.from, to: pause.to ?? until })),
    ...waits.map((wait) => ({ kind: 'other' as const, from: wait.from, to: wait.to ?? until })),
    ...steps.flatMap(({ calls }) =>
      calls.map(({ at, durationMs }) => ({ kind: 'tools' as const, from: at, to: at + (durationMs ?? until - at) })),
    ),
    ...steps.map(({ at, repliedAt }) => ({ kind: 'model' as const, from: at, to: repliedAt ?? until })),
  ]
  const edges = [from, until, ...spans.flatMap((span) => [span.from, span.to])]
  const moments = [...new Set(edges.filter((at) => at >= from && at <= until))].sort((one, other) => one - other)
  const pieces: Piece[] = []
  for (const [index, at] of moments.slice(0, -1).entries()) {
    const kind = spans.find((span) => span.from <= at && at < span.to)?.kind ?? 'other'
    const ms = (moments[index + 1] ?? until) - at
    const last = pieces.at(-1)
    if (last?.kind === kind) pieces[pieces.length - 1] = { kind, ms: last.ms + ms }
    else pieces.push({ kind, ms })
  }
  return pieces
}

type Times = Readonly<Record<Spending, number>>

/** How long each kind of piece took, in ms. */
export function timesOf(pieces: readonly Piece[]): Times {
  const times = { model: 0, tools: 0, pause: 0, other: 0 }
  for (const { kind, ms } of pieces) times[kind] += ms
  return times
}

/** No wait and no pause takes more of a bar than this share of what the work takes: otherwise nothing else could be seen. */
const WAIT_SHARE_MAX = 0.25

/** The length from which a wait or a pause is shortened in a bar, in ms. The work alone counts: another wait may be shortened, too. */
export const longWaitMs = ({ model, tools }: Times): number => WAIT_SHARE_MAX * (model + tools)
