import { MINUTE_MS } from '../../machines/limits.ts'
import { showBadge } from './badge.ts'
import { InputWindows } from './connection/approval-windows.ts'
import { Consent } from './connection/consent.ts'
import { Link } from './connection/link.ts'
import { Journal } from './journal.ts'
import { EXTENSION_REFS_PER_LIFE, EXTENSION_WAKE_EVERY_MS } from './limits.ts'
import type { FromOwnPage, FromPairingPage, Uploaded } from './messages.ts'
import { ownFiles } from './own-files.ts'
import { LIVES } from './settings.ts'
import { Driver } from './tabs/driver.ts'
import { Holds } from './tabs/holds.ts'
import { TabNotes } from './tabs/tab-notes.ts'
import { findTab } from './tabs/task-groups.ts'

/**
 * The extension's service worker. Chrome may stop it at any moment and start it again for any event: what must be
 * remembered is in storage, and every listener is there before the first turn ends.
 */

const { local, session } = chrome.storage
const WAKE = 'wake'

const holds = new Holds(local)
const journal = new Journal(session, (state) => {
  showBadge(state).catch(() => {})
})
const notes = new TabNotes(local, session, findTab)
const driver = new Driver({
  notes,
  firstRef,
  isHeld: async (taskId) => (await holds.of(taskId)) !== null,
  cancelled: (taskId) => void stop(taskId),
})
const link = new Link(driver, journal, holds, new InputWindows(session))
const consent = new Consent(link, journal, () => notes.driven())

async function firstRef(): Promise<number> {
  // A pairing that ends takes it out of the one, a new start of the browser out of the other.
  const { [LIVES]: lives = 0 } = { ...(await session.get(LIVES)), ...(await local.get(LIVES)) }
  await Promise.all([local, session].map((area) => area.set({ [LIVES]: Number(lives) + 1 })))
  return Number(lives) * EXTENSION_REFS_PER_LIFE + 1
}

async function takeOver(taskId: string): Promise<string | null> {
  await holds.set(taskId, 'user')
  await driver.release(taskId)
  journal.setPaused(taskId, true)
  // Without a connection it is told as soon as there is one: nothing is done in the tab meanwhile.
  link.setPaused(taskId, true)
  await driver.show(taskId).catch(() => {})
  return null
}

async function handBack(taskId: string): Promise<string | null> {
  await holds.clear(taskId)
  journal.setPaused(taskId, false)
  link.setPaused(taskId, false)
  return null
}

async function stop(taskId: string): Promise<string | null> {
  await holds.set(taskId, 'stopping')
  driver.interrupt(taskId)
  link.stopTask(taskId)
  return null
}

const begin = ({ type: _, ...task }: Extract<FromOwnPage, { type: 'start' }>) => link.startTask(task)

/** The token of the pairing stays here: it is the worker that sends the file. */
async function upload({ name, data }: Extract<FromOwnPage, { type: 'upload' }>): Promise<Uploaded> {
  const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0))
  return { error: null, fileId: await ownFiles.upload(name, bytes) }
}

/** Resolves to what went wrong, or `null`. */
async function obey(message: Exclude<FromOwnPage, { type: 'question' | 'upload' }>): Promise<string | null> {
  switch (message.type) {
    case 'start':
      return begin(message)
    case 'say':
      return link.say(message.taskId, message.text)
    case 'refresh':
      return link.refresh()
    case 'input':
      return link.answerInput(message)
    case 'take-over':
      return takeOver(message.taskId)
    case 'hand-back':
      return handBack(message.taskId)
    case 'stop':
      return stop(message.taskId)
    case 'show':
      await driver.show(message.taskId)
      return null
    case 'paste':
      return consent.pasted(message.link)
    case 'connect':
      await link.connect()
      return null
    case 'forget':
      await link.forget(null)
      return null
    case 'answer':
      return consent.answered(message.agreed)
  }
}

const fromOwnPage = ({ id, url }: chrome.runtime.MessageSender): boolean =>
  id === chrome.runtime.id && (url ?? '').startsWith(chrome.runtime.getURL(''))

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  if (sender.id !== chrome.runtime.id) return
  const failed = (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) })
  if (fromOwnPage(sender)) {
    const said = message as FromOwnPage
    if (said.type === 'question') consent.question().then(answer, failed)
    else if (said.type === 'upload') upload(said).then(answer, failed)
    else obey(said).then((error) => answer({ error }), failed)
    return true
  }
  const { type } = message as FromPairingPage
  if (type === 'page.here') consent.pageIsHere(sender).then(answer, failed)
  else if (type === 'page.pair') consent.clicked(sender).then(() => answer({ error: null }), failed)
  else return
  return true
})

const wake = (): void => void link.wake().catch(() => {})

chrome.alarms.onAlarm.addListener(wake)
chrome.runtime.onStartup.addListener(wake)
chrome.runtime.onInstalled.addListener(wake)
chrome.windows.onRemoved.addListener((windowId) => void consent.windowClosed(windowId).catch(() => {}))
addEventListener('online', wake)

void chrome.alarms.create(WAKE, { periodInMinutes: EXTENSION_WAKE_EVERY_MS / MINUTE_MS })
chrome.sidePanel?.setPanelBehavior({ openPanelOnActionClick: true }).catch(() => {})
wake()
