import { useEffect, useState } from '../../pages/client/view.ts'
import type { Done, FromOwnPage } from '../messages.ts'
import { PANEL, type PanelState, readPanel } from '../panel-state.ts'

const SILENT = 'The extension is not responding.'

/** Tells the worker; resolves to what went wrong, or `null`. */
export async function tell(message: FromOwnPage): Promise<string | null> {
  const done = (await chrome.runtime.sendMessage(message).catch(() => null)) as Done | null
  return done ? done.error : SILENT
}

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
