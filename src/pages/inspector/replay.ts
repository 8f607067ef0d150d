import type { TaskView } from '../../../actors/task-service.ts'
import type { Response } from '../../http/transport.ts'
import { durationOf } from '../../wire/duration.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html, page, trusted } from '../html.ts'

const EVENTS_READ_MAX = 500

type Step = readonly [at: number, event: string, states: readonly string[]]

/** A finished task's way on the drawing, move by move, with what its browser showed at that moment. */
export async function replayPage(
  task: TaskView,
  { taskService, store, inspector }: Pick<PagesDeps, 'taskService' | 'store' | 'inspector'>,
): Promise<Response> {
  const [trace, shots, drawing] = await Promise.all([
    store.traces.get(task.id, 'transitions'),
    shotsOf(taskService, task.id),
    inspector.svg('task'),
  ])
  const moves = trace === null ? [] : (JSON.parse(trace) as Step[])
  const begun = moves[0]?.[0] ?? task.createdAt
  const items = moves.map(([at, event, states], index) => {
    const shot = shots.findLast((each) => each.at <= at)
    return html`<li><button class="move" data-index="${index}" data-states="${states.join(' ')}" data-event="${event}" data-shot="${shot?.number ?? ''}">
<span class="quiet">+${durationOf(at - begun)}</span> <strong>${states.at(-1) ?? ''}</strong> <span class="quiet">${event}</span></button></li>
`
  })
  return page(
    'Replay',
    html`<p class="asked">${task.task}</p>
<p><a href="/dashboard/tasks/${task.id}">View task</a></p>
${moves.length === 0 ? html`<p class="empty">No replay was recorded for this task. It may have ended before replays were recorded, or while the store could not be written.</p>` : player(task, items, moves.length, drawing)}`,
    { script: 'replay.js', wide: true },
  )
}

/** Every picture of the task: those that the model has seen are numbered in their order. */
async function shotsOf({ events }: Pick<PagesDeps['taskService'], 'events'>, taskId: string) {
  const shots: { readonly at: number; readonly number: number }[] = []
  let seen = 0
  for (let after = 0; ; ) {
    const page = await events.ofTask(taskId, after, EVENTS_READ_MAX)
    for (const { event } of page) {
      after = event.seq
      if (event.type === 'picture.taken') shots.push({ at: event.at, number: event.picture })
      if (event.type === 'tool.result' && event.has_screenshot) shots.push({ at: event.at, number: seen++ })
    }
    if (page.length < EVENTS_READ_MAX) return shots
  }
}

function player(task: TaskView, items: readonly Html[], count: number, drawing: string | null): Html {
  return html`<div class="bar" role="group" aria-label="Replay">
<button id="back" class="plain">Previous</button> <button id="play" class="main">Play</button> <button id="on" class="plain">Next</button>
<label class="slider" for="position">Transition<input id="position" type="range" min="0" max="${count - 1}" value="0" step="1"></label>
<output id="said" for="position" role="status"></output>
</div>
<div class="replay" data-screenshots="/dashboard/tasks/${task.id}/screenshots/">
<div id="drawing" class="drawing" tabindex="0" role="region" aria-label="Statechart">${drawing === null ? null : trusted(drawing)}</div>
<div>
<figure class="shot"><img id="shot" alt="" hidden><figcaption id="no-shot" class="empty">No screenshot up to here.</figcaption></figure>
<ol id="moves" class="moves" tabindex="0" aria-label="Transitions">
${items}</ol>
</div>
</div>`
}
