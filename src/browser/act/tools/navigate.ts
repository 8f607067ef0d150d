import { SECOND_MS } from '../../../../machines/limits.ts'
import { withoutMiddle } from '../../../../machines/short-address.ts'
import type { NavigateInput } from '../../../wire/tools.ts'
import { ADDRESS_CHARS_MAX } from '../../limits.ts'
import { ToolError } from '../cdp.ts'
import { type Call, evaluate, type Note, type Page } from '../page.ts'
import type { Result } from '../result.ts'
import { opened } from '../settle.ts'
import { pause } from '../waiting.ts'
import type { Workplace } from '../workplace.ts'
import { addressOf } from './address.ts'
import { type SignIn, signIn, withSignIn } from './http-authentication.ts'

/** A page that draws itself by script is given this long after its load to show anything. */
const FIRST_TEXT_MS_MAX = 1_500
const FIRST_TEXT_LOOK_MS = 30
/** The first page of a task that continues another is loaded within its first call, which has its own work to do. */
const FIRST_PAGE_MS_MAX = 6 * SECOND_MS

/** A document that is being left and has not answered for so long is busy. */
const BUSY_MS = 500

/** Opens an address or goes through the history. Where that led is told with what the page shows. */
export async function navigate(call: Call, input: NavigateInput): Promise<Result> {
  const started = performance.now()
  const wanted = input.url.trim()
  const direction = wanted.toLowerCase()
  if (direction === 'back' && (await closesWindow(call))) {
    return { said: `The window was closed. Tab ${call.work.current.number} is the tab of this task now.`, content: '' }
  }
  if (direction === 'back' || direction === 'forward') await goThroughHistory(call, direction)
  else await open(call, addressOf(wanted), signIn(call, input))
  await somethingToSee(call)
  const { loading, patience } = call.page
  const seconds = patience.loadMs / SECOND_MS
  if (loading.stage === 'loaded') return { said: 'The page has loaded.', content: '' }
  if (call.page.lacksOnlyPictures(started)) return { said: 'The page is there.', content: '' }
  return { said: `The page has not finished loading after ${seconds} s. What is there can be used.`, content: '' }
}

/** [I10] The first page of a task that goes on where another one ended. Gives what is told when it could not be opened. */
export async function openFirst(
  { page, lost }: { readonly page: Page; readonly lost: AbortSignal },
  work: Workplace,
  url: string,
  signal: AbortSignal,
): Promise<Note | null> {
  const until = AbortSignal.any([signal, lost, AbortSignal.timeout(FIRST_PAGE_MS_MAX)])
  const call = page.call(until, work, FIRST_PAGE_MS_MAX)
  try {
    await open(call, addressOf(url))
    await somethingToSee(call)
    return null
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const isRefused = error instanceof ToolError
    // In place of the browser's page of the error, which cannot be read.
    if (isRefused) await open(call, 'about:blank').catch(() => {})
    const why = isRefused ? error.message : 'It has not finished loading.'
    return { said: `The page where the earlier task ended was not opened: ${why}`, content: `Page: ${url}` }
  }
}

/** Back from the first page of a window that was opened: the window closes, if the task has another. */
async function closesWindow({ work, send }: Call): Promise<boolean> {
  if (work.tabs.length < 2) return false
  const { currentIndex } = await send('Page.getNavigationHistory')
  if (currentIndex > 0) return false
  await work.closeTab(work.current.number)
  return true
}

/** Opens an address. Throws a ToolError when it does not answer, or shows no page. */
export async function open(call: Call, url: string, signsIn: SignIn | null = null): Promise<void> {
  const { loading, patience } = call.page
  const until = AbortSignal.any([call.signal, AbortSignal.timeout(patience.loadMs)])
  const started = performance.now()
  const shown = withoutMiddle(url, ADDRESS_CHARS_MAX)
  await endBusyScripts(call, true)
  const moves = loading.moves
  const sent = call.send('Page.navigate', { url: signsIn ? withSignIn(url, signsIn) : url })
  const answer = await Promise.race([sent, pause(patience.loadMs, call.signal).then(() => null)])
  if (answer === null) {
    sent.catch(() => {})
    if (call.signal.aborted) throw call.signal.reason
    call.page.cdp.send('Page.stopLoading').catch(() => {})
    throw new ToolError(`The address did not answer within ${patience.loadMs / SECOND_MS} s.`, shown)
  }
  if (answer.isDownload)
    throw new ToolError('The address is a download, not a page. The previous page is still open.', shown)
  if (answer.errorText) throw notOpened(answer.errorText, shown)
  // Without a loader the document stayed the same: only the fragment changed.
  if (answer.loaderId === undefined) return
  const left = Math.max(0, patience.loadMs - (performance.now() - started))
  await loading.until(() => loading.loaderId === answer.loaderId || loading.moves > moves, left, until)
  // [X10] A browser without a window of its own shows the page that comes with the refusal.
  if (call.page.activity.refusedLoad === answer.loaderId) throw notOpened('net::ERR_INVALID_AUTH_CREDENTIALS', shown)
  await opened(call, started, left, until)
}

/**
 * A document whose scripts never end keeps the next one of its site from taking its place: they are ended. Where others
 * begin at once, `leave` puts an empty document in its place while none may run.
 */
async function endBusyScripts(call: Call, leave: boolean): Promise<void> {
  if (call.page.dialogs.open || (await answers(call))) return
  await soon(call, call.send('Runtime.terminateExecution'))
  if (!leave || (await answers(call))) return
  const { loading } = call.page
  const moves = loading.moves
  const allow = (isAllowed: boolean) =>
    soon(call, call.page.cdp.send('Emulation.setScriptExecutionDisabled', { value: !isAllowed }))
  await allow(false)
  await soon(call, call.send('Runtime.terminateExecution'))
  await soon(call, call.send('Page.navigate', { url: 'about:blank' }))
  await loading.until(() => loading.moves > moves, BUSY_MS, call.signal)
  await allow(true)
}

const answers = (call: Call): Promise<boolean> => soon(call, call.send('Runtime.evaluate', { expression: '0' }))

/** Whether it is done before long. */
const soon = (call: Call, asked: Promise<unknown>): Promise<boolean> =>
  Promise.race([asked.then(yes, yes), pause(BUSY_MS, call.signal).then(() => false)])
const yes = (): boolean => true

const notOpened = (errorText: string, url: string): ToolError =>
  new ToolError(`The address could not be opened: ${reason(errorText)}.`, url)

async function goThroughHistory(call: Call, direction: 'back' | 'forward'): Promise<void> {
  const { loading, patience } = call.page
  const { currentIndex, entries } = await call.send('Page.getNavigationHistory')
  const entry = entries[currentIndex + (direction === 'back' ? -1 : 1)]
  // The empty page that every tab starts with was not opened by anyone.
  const blank = entry === entries[0] && entry?.url === 'about:blank'
  if (!entry || blank) throw new ToolError(`There is no page to go ${direction} to.`)
  // Forward of an empty document there is none.
  await endBusyScripts(call, direction === 'back')
  const [started, moves] = [performance.now(), loading.moves]
  await call.send('Page.navigateToHistoryEntry', { entryId: entry.id })
  const moved = await loading.until(() => loading.moves > moves, patience.loadMs, call.signal)
  if (!moved) throw new ToolError(`The page did not go ${direction} within ${patience.loadMs / SECOND_MS} s.`)
  await opened(call, started, patience.loadMs, call.signal)
}

/** A page that is empty at its load is about to be drawn by its scripts. */
async function somethingToSee(call: Call): Promise<void> {
  if (!/^(ready|loaded)$/.test(call.page.loading.stage)) return
  for (let waited = 0; waited < FIRST_TEXT_MS_MAX && !call.signal.aborted; waited += FIRST_TEXT_LOOK_MS) {
    const { result } = await evaluate(call, SHOWS_SOMETHING)
    if (result.value !== false) return
    await pause(FIRST_TEXT_LOOK_MS, call.signal)
  }
}

const SHOWS_SOMETHING = `!document.querySelector('script') || !document.body || document.body.innerText.trim() !== ''
  || !!document.querySelector('img, input, button, canvas, video, svg, iframe, [contenteditable]')
  || [...document.body.querySelectorAll('*')].some((element) => element.shadowRoot)`

const REASONS: Readonly<Record<string, string>> = {
  'net::ERR_NAME_NOT_RESOLVED': 'there is no site of that name',
  'net::ERR_CONNECTION_REFUSED': 'the site refused the connection',
  'net::ERR_CONNECTION_TIMED_OUT': 'the site did not answer',
  'net::ERR_CONNECTION_RESET': 'the site closed the connection',
  'net::ERR_INTERNET_DISCONNECTED': 'the browser is offline',
  'net::ERR_EMPTY_RESPONSE': 'the site sent no answer',
  'net::ERR_TOO_MANY_REDIRECTS': 'the site redirects in a circle',
  'net::ERR_SSL_PROTOCOL_ERROR': 'the site does not speak https; try http://',
  'net::ERR_INVALID_AUTH_CREDENTIALS': 'the site did not accept the sign-in',
  'net::ERR_UNSAFE_PORT': 'the browser refuses that port',
  'net::ERR_BLOCKED_BY_CLIENT': 'it leads to an address that tasks may not open',
  'net::ERR_TUNNEL_CONNECTION_FAILED': 'the task may not open it, or it does not answer',
  'net::ERR_ABORTED': 'the page sent nothing to show (an empty answer or a download)',
}
const reason = (errorText: string): string => {
  const words = REASONS[errorText]
  return words ? `${words} (${errorText})` : errorText
}
