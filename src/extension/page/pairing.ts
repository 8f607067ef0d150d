import {
  type FromPairingPage,
  type LinkInfo,
  type PageState,
  pairingLink,
  type Registered,
  type ToPairingPage,
} from '../messages.ts'

/**
 * Runs in pairing pages, apart from the page's own scripts. It shows nothing of itself until a person clicks on the
 * page's button; then it passes that on, and exchanges the pairing token for a session when the user has agreed in a window of the
 * extension's own. The page learns nothing but what it is shown here; messages that it posts are not listened to.
 */

const USED_UP = 'This pairing link has expired or was already used. Create a new one.'
const link = pairingLink(location.href)
const button = document.getElementById('pair-this-browser')
const status = document.getElementById('pairing-state')

const show = (state: string, words: string): void => {
  document.documentElement.dataset.browserTasks = state
  if (status) status.textContent = words
}
const tell = (message: FromPairingPage): Promise<unknown> => chrome.runtime.sendMessage(message)
const inWorkspace = (workspace: string | null): string => (workspace === null ? '' : `, workspace “${workspace}”`)

async function begin(): Promise<void> {
  const { state, workspace, asked } = (await tell({ type: 'page.here' })) as PageState
  if (asked) show('asking', 'Confirm the pairing in the window that opened.')
  else if (state === 'paired')
    show('paired', `This browser is already paired with this service${inWorkspace(workspace)}.`)
  // Any site may have such a path: until a person clicks, it is not to learn that the extension is here.
}

async function register({ origin, token }: { origin: string; token: string }): Promise<Registered> {
  if (origin !== link?.origin || token !== link.token) return { ok: false, error: 'The pairing page has changed.' }
  show('asking', 'Pairing …')
  const result = await ask(token)
  if (!result.ok) show('failed', result.error)
  return result
}

async function ask(token: string): Promise<Registered> {
  try {
    const response = await fetch('/v1/browser-sessions/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pairing_token: token }),
    })
    const body = (await response.json().catch(() => null)) as Record<string, unknown> | null
    const { browser_session_id: sessionId, session_token: sessionToken, relay_port: port } = body ?? {}
    if (response.status === 201 && typeof sessionId === 'string' && typeof sessionToken === 'string') {
      return { ok: true, sessionId, sessionToken, ...(typeof port === 'number' ? { relayPort: port } : {}) }
    }
    const error =
      response.status === 401 ? USED_UP : `The service did not pair this browser (status ${response.status}).`
    return { ok: false, error }
  } catch {
    return { ok: false, error: 'The service did not answer. Try again.' }
  }
}

/** Whose link this is, asked from the page's own origin. */
async function describe({ origin, token }: { origin: string; token: string }): Promise<LinkInfo | null> {
  if (origin !== link?.origin || token !== link.token) return null
  try {
    const response = await fetch('/v1/browser-sessions/pairing', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pairing_token: token }),
    })
    if (response.status === 401) show('failed', USED_UP)
    const { workspace, created_by: createdBy, label } = (await response.json()) as Record<string, unknown>
    if (response.status !== 200 || typeof workspace !== 'string') return null
    return { workspace, createdBy: textOrNull(createdBy), label: textOrNull(label) }
  } catch {
    return null
  }
}
const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

if (link) {
  chrome.runtime.onMessage.addListener((message, _sender, answer) => {
    const told = message as ToPairingPage
    switch (told.type) {
      case 'describe':
        describe(told).then(answer)
        return true
      case 'register':
        register(told).then(answer)
        return true
      case 'declined':
        show('ready', 'Nothing was paired.')
        return
      case 'paired':
        show('done', `This browser is paired${inWorkspace(told.workspace)}.`)
    }
  })
  button?.addEventListener('click', (event) => {
    // A click of a person, not one that a script made.
    if (!event.isTrusted) return
    show('asking', 'Confirm the pairing in the window that opened.')
    tell({ type: 'page.pair' }).catch(() => show('failed', 'The extension was reloaded. Reload this page.'))
  })
  begin().catch(() => {})
}
