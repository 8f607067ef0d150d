import { useEffect, useState } from '../../web/client/view.ts'
import { FILE_BYTES_MAX } from '../../wire/limits.ts'
import type { Done, FromOwnPage, Uploaded } from '../messages.ts'
import { PANEL, type PanelState, readPanel } from '../panel-state.ts'

const SILENT = 'The extension is not responding.'

/** Tells the worker; resolves to what went wrong, or `null`. */
export async function tell(message: FromOwnPage): Promise<string | null> {
  const done = (await chrome.runtime.sendMessage(message).catch(() => null)) as Done | null
  return done ? done.error : SILENT
}

/** [U10] Has the worker upload a file; resolves to its id. Throws what went wrong. */
export async function upload(file: File): Promise<string> {
  if (file.size > FILE_BYTES_MAX) throw new Error(`${file.name} is too large: a file may have 25 MB.`)
  const data = await base64Of(file)
  const done = (await chrome.runtime.sendMessage({ type: 'upload', name: file.name, data })) as Uploaded | null
  if (!done?.fileId) throw new Error(`${file.name} was not attached: ${done?.error ?? SILENT}`)
  return done.fileId
}

const base64Of = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`))
    reader.readAsDataURL(file)
  })

/** What the worker keeps in storage for the pages of the extension; `null` until it was read. */
export function usePanel(): PanelState | null {
  const [state, setState] = useState<PanelState | null>(null)
  useEffect(() => {
    const changed = ({ [PANEL]: panel }: { [key: string]: chrome.storage.StorageChange }) => {
      if (panel?.newValue) setState(panel.newValue as PanelState)
    }
    chrome.storage.session.onChanged.addListener(changed)
    // What changed meanwhile is newer.
    readPanel().then((read) => setState((known) => known ?? read))
    return () => chrome.storage.session.onChanged.removeListener(changed)
  }, [])
  return state
}

/** The element that a page of the extension is drawn in. */
export function rootOf(): HTMLElement {
  const root = document.getElementById('app')
  if (!root) throw new Error('The page has no place for its content')
  return root
}
