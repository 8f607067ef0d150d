import type { Clock, Store } from '../../actors/runtime/ports.ts'
import { MINUTE_MS, PAIRING_TOKEN_MS } from '../../machines/limits.ts'
import type { RequestOriginOf } from '../api/deps.ts'
import { hashToken } from '../identity/tokens.ts'
import type { Request, Response } from '../net/transport.ts'
import { html, linkFault, page, redirect } from './html.ts'
import { get, type PageRoute, post } from './page-route.ts'
import { formOf } from './sign-in.ts'

export interface PairDeps {
  readonly pairings: Pick<Store['pairings'], 'get'>
  readonly workspaces: Pick<Store['workspaces'], 'get'>
  readonly clock: Pick<Clock, 'now'>
  readonly requestOriginOf: RequestOriginOf
}

const TOKEN = /^svc_pair_[\da-f]{64}$/
const TOKEN_AT_END = /svc_pair_[\da-f]{64}(?=\s*$)/
const MINUTES = PAIRING_TOKEN_MS / MINUTE_MS

export const pairRoutes = (deps: PairDeps): readonly PageRoute[] => [
  get('/pair', () => malformed),
  get('/pair/', () => malformed),
  post('/pair', (request) => {
    const [token] = TOKEN_AT_END.exec(formOf(request).get('link') ?? '') ?? []
    return token === undefined ? malformed : redirect(`/pair/${token}`, 303)
  }),
  get('/pair/:token', (request, token = '') => pairPage(request, token, deps)),
]

/** [P1, S15] What to do with a pairing link; or why it cannot be used, each reason in its own words. */
async function pairPage(request: Request, token: string, deps: PairDeps): Promise<Response> {
  if (!TOKEN.test(token)) return malformed
  const pairing = await deps.pairings.get(hashToken(token))
  if (!pairing) return unknown
  const leftMs = pairing.expiresAt - deps.clock.now()
  if (leftMs <= 0) return expired
  const workspace = await deps.workspaces.get(pairing.workspaceId)
  if (!workspace) return unknown
  const url = deps.requestOriginOf(request).origin
  const minutes = Math.ceil(leftMs / MINUTE_MS)
  return page(
    'Pair a browser',
    html`<div data-when="untouched ready paired">
<p>This link pairs one browser with the workspace <strong>${workspace.name}</strong>, whose tasks then act in it.</p>
<dl class="figures">
<div><dt>Workspace</dt><dd>${workspace.name}</dd></div>
<div><dt>Link created by</dt><dd><bdi>${pairing.createdBy ?? 'unknown'}</bdi></dd></div>
${pairing.label === null ? null : html`<div><dt>Label set by the link’s creator</dt><dd><bdi>${pairing.label}</bdi></dd></div>`}
</dl>
<p>Pair only if you know this workspace and expect its tasks. The link works once and expires in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.</p>
</div>
<h2>This browser</h2>
${ownBrowser}
<div data-when="done paired">
<p><a class="button main" href="/dashboard?workspace=${workspace.id}">Start a task</a></p>
<p class="quiet">Another application sent you the link? Then go back to it: it starts the tasks.</p>
</div>
<div data-when="untouched ready paired failed">
<h2>A browser in the background</h2>
<p>Run this command on the machine that should run the browser. It installs what it needs from this service:</p>
<pre><code>npx -y ${url}/clients/browser-task-service.tgz browser --service ${url} --token ${token}</code></pre>
<p class="quiet">Anyone with this link can pair a browser with this workspace. Do not share it.</p>
</div>`,
  )
}

/** The extension fills this in, and says on the root element how far the pairing is; without it the page stays as it is. */
const state = html`<p id="pairing-state" role="status"></p>`

/**
 * What is shown for which state of the pairing: `untouched` until the extension has answered a click. A page of ours runs
 * no script: what changes here is done by the extension, which shows no page that it is there before a person clicks.
 */
const ownBrowser = html`${state}
<div data-when="untouched ready paired failed">
<p><button id="pair-this-browser" type="button">Pair this browser</button></p>
</div>
<details data-when="untouched">
<summary>Nothing happens? Install the browser extension</summary>
<ol>
<li><a href="/extension.zip" download>Download the extension</a> and unpack it.</li>
<li>Open <code>chrome://extensions</code> in Chrome, or <code>edge://extensions</code> in Edge.</li>
<li>Turn on <strong>Developer mode</strong>.</li>
<li>Choose <strong>Load unpacked</strong> and select that folder.</li>
<li>Reload this page.</li>
</ol>
</details>`

const again = html`<p>Ask the person who sent you this link for a new one.</p>
<p><a class="button plain" href="/dashboard/browsers">Create a link in your own workspace</a></p>
<p class="quiet">For developers: <a href="/docs/embedding">pairing in your own product</a></p>`

const expired = linkFault(
  'This pairing link has expired',
  html`<p>Pairing links are valid for ${MINUTES} minutes. No browser was paired with this one.</p>${again}${state}`,
  410,
)
const unknown = linkFault(
  'This pairing link cannot be used',
  html`<p>It was already used, has expired, or was not created by this service. Each pairing link works once.</p>${again}${state}`,
  404,
)
const malformed = linkFault(
  'Invalid pairing link',
  html`<p>This link is not complete. Copy all of it and paste it here, or ask the person who sent it for a new one.</p>
<div class="forms"><form class="card" method="post" action="/pair">
<label for="link">Pairing link<input id="link" name="link" autocomplete="off" required></label>
<button class="main">Continue</button>
</form></div>`,
  400,
)
