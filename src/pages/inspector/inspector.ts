import type { Request, Response } from '../../http/transport.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html, page, trusted } from '../html.ts'
import type { Viewer } from '../viewer.ts'

/**
 * Everyone who lives, by address; of the one that `?actor=` names the drawing with its state lit, and everything else.
 * The page is filled by what is streamed to it.
 */
export async function inspectorPage(
  request: Pick<Request, 'query'>,
  viewer: Viewer,
  { inspector }: Pick<PagesDeps, 'inspector'>,
): Promise<Response> {
  const focus = new URLSearchParams(request.query).get('actor') ?? ''
  const actorKind = focus.split(':')[0] ?? ''
  const drawing = focus === '' ? null : await inspector.svg(actorKind)
  return page(
    'Inspector',
    html`<noscript><p role="alert">The inspector shows live data and needs JavaScript.</p></noscript>
<div class="bar" role="group" aria-label="Display options">
<label for="filter">Filter<input id="filter" type="search" placeholder="address or state" autocomplete="off"></label>
<button id="pause" class="plain" aria-pressed="false">Pause</button>
<span id="stream" class="quiet" role="status">Connecting…</span>
<span class="quiet">${viewer.kind === 'owner' ? 'All workspaces' : viewer.workspaces.map(({ name }) => name).join(', ')}</span>
</div>
<div id="inspector" class="inspector" data-focus="${focus}">
<section class="actors" aria-labelledby="actors-title">
<h2 id="actors-title">Actors <span id="count" class="quiet"></span></h2>
<div class="scroll" tabindex="0" role="group" aria-label="Actor list">
<table role="table"><thead role="rowgroup"><tr role="row">${['Address', 'State', 'Time in state', 'Timeout in'].map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead><tbody id="actors" role="rowgroup"></tbody></table>
<p id="nobody" class="empty" hidden>No active actors. Start a task to see its actors here.</p>
</div>
</section>
<section class="actor" aria-labelledby="actor-title">
<h2 id="actor-title">${focus === '' ? 'No actor selected' : focus}</h2>
<p id="hint" class="empty"${focus === '' ? null : hidden}>Select an actor to see its statechart, the events it accepts, and its history.</p>
<p id="facts" class="quiet" aria-live="polite"></p>
<div id="drawing" class="drawing" tabindex="0" role="region" aria-label="Statechart" data-actorKind="${actorKind}">${drawing === null ? null : trusted(drawing)}</div>
<div id="detail" class="detail"${focus === '' ? hidden : null}>
<section aria-labelledby="accepts-title"><h3 id="accepts-title">Accepted events</h3><ul id="accepts" class="chips"></ul></section>
<section aria-labelledby="moves-title"><h3 id="moves-title">Recent transitions</h3><div class="scroll" tabindex="0" role="group" aria-label="Transition list"><table><thead><tr><th scope="col">Time</th><th scope="col">Event</th><th scope="col">State</th><th scope="col">Duration</th></tr></thead><tbody id="moves"></tbody></table></div></section>
<section aria-labelledby="context-title"><h3 id="context-title">Context</h3><p class="quiet">Secrets and text written by people, models and pages are left out.</p><pre id="context" tabindex="0" role="group" aria-label="The context as JSON"></pre></section>
<section class="whole" aria-labelledby="sequence-title"><h3 id="sequence-title">Sequence</h3><div id="sequence" class="scroll" tabindex="0" role="group" aria-label="Messages between actors"></div></section>
</div>
</section>
</div>`,
    { script: 'inspector.js', wide: true },
  )
}

const hidden: Html = html` hidden`

/** One drawing, for a page that shows another actor now. */
export async function drawingOf(name: string, { inspector }: Pick<PagesDeps, 'inspector'>): Promise<Response | null> {
  const svg = await inspector.svg(name)
  if (svg === null) return null
  return {
    status: 200,
    headers: [
      ['Content-Type', 'image/svg+xml'],
      ['Cache-Control', 'no-cache'],
    ],
    body: svg,
  }
}

/** What nobody is told who may not look. */
export const askWho = (status: number): Response =>
  page(
    'Inspector',
    html`<p>To watch the actors of your workspace, <a href="/dashboard">sign in or enter a key</a>.</p>
<p>The operator of this service can watch all workspaces: <code>npx browser-task inspect</code> prints a link.</p>`,
    status,
  )
