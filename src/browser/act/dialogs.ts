import { SECOND_MS } from '../../../machines/limits.ts'
import { DIALOG_MS_MAX } from '../limits.ts'
import { type Cdp, ToolError } from './cdp.ts'
import type { Note } from './page.ts'

const TEXT_CHARS_MAX = 500

export interface Dialog {
  readonly type: 'alert' | 'confirm' | 'prompt' | 'beforeunload'
  readonly message: string
  readonly defaultPrompt?: string
}

/**
 * [G26] The dialogs of a page. An alert is closed at once and reported. A confirm, a prompt and the question whether to leave
 * are held for an answer, DIALOG_MS_MAX at most, then dismissed: while one is open the page answers nothing else.
 */
export class Dialogs {
  /** The dialog that waits for an answer. */
  open: Dialog | null = null
  readonly #cdp: Cdp
  readonly #note: (note: Note) => void
  readonly #watchers = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(cdp: Cdp, note: (note: Note) => void) {
    this.#cdp = cdp
    this.#note = note
    cdp.on('Page.javascriptDialogOpening', (dialog: Dialog) => this.#opened(dialog))
    cdp.on('Page.javascriptDialogClosed', () => this.#closed())
  }

  /** Resolves when a dialog waits for an answer: at once when one does. Stops looking when the signal aborts. */
  whenOpen(signal: AbortSignal): Promise<void> {
    if (this.open) return Promise.resolve()
    return new Promise((resolve) => {
      this.#watchers.add(resolve)
      signal.addEventListener('abort', () => this.#watchers.delete(resolve), { once: true })
    })
  }

  /** [I5] The open dialog is not dismissed by itself: its user is asked first. */
  keepOpen(): void {
    clearTimeout(this.#timer)
  }

  /** Throws a ToolError when no dialog is open. */
  async answer(accept: boolean, text: string | undefined): Promise<Dialog> {
    const dialog = this.open
    if (!dialog) throw new ToolError('No dialog is open.')
    const promptText = text ?? dialog.defaultPrompt ?? ''
    await this.#cdp.send('Page.handleJavaScriptDialog', { accept, promptText })
    this.#closed()
    return dialog
  }

  /** What the open dialog asks, and how it is answered. */
  question(): Note | null {
    return this.open && questionOf(this.open)
  }

  #opened(dialog: Dialog): void {
    if (dialog.type === 'alert') {
      // Fails only when someone else has answered it already.
      this.#cdp.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => {})
      this.#note({ said: 'The page showed an alert. It was closed.', content: textOf(dialog) })
      return
    }
    this.open = dialog
    this.#timer = setTimeout(() => {
      this.#note({
        said: `Nobody answered a dialog of the page within ${DIALOG_MS_MAX / SECOND_MS} s, so it was dismissed.`,
        content: textOf(dialog),
      })
      this.answer(false, undefined).catch(() => {})
    }, DIALOG_MS_MAX)
    for (const watcher of this.#watchers) watcher()
    this.#watchers.clear()
  }

  #closed(): void {
    clearTimeout(this.#timer)
    this.open = null
  }
}

const textOf = ({ message }: Dialog): string => `Dialog: ${JSON.stringify(message.slice(0, TEXT_CHARS_MAX))}`

function questionOf(dialog: Dialog): Note {
  const seconds = DIALOG_MS_MAX / SECOND_MS
  const how = `Answer it with the tool dialog; after ${seconds} s it is dismissed.`
  switch (dialog.type) {
    case 'prompt':
      return {
        said: `The page asks for input in a dialog. ${how}`,
        content: `${textOf(dialog)}, suggested: ${JSON.stringify(dialog.defaultPrompt ?? '')}`,
      }
    case 'beforeunload':
      return { said: `The page asks in a dialog whether to leave it. Accept to leave it. ${how}` }
    default:
      return { said: `The page asks to confirm something in a dialog. ${how}`, content: textOf(dialog) }
  }
}
