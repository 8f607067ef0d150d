import type { Cdp } from './cdp.ts'
import type { Note } from './page.ts'

const TEXT_CHARS_MAX = 500

interface DialogEvent {
  readonly type: 'alert' | 'confirm' | 'prompt' | 'beforeunload'
  readonly message: string
  readonly defaultPrompt?: string
}

/**
 * Answers every dialog of the page at once, because a page with an open dialog answers nothing else: alerts, confirms
 * and the question whether to leave are accepted, a prompt is accepted with its own suggestion. `tell` hears each in words.
 */
export function answerDialogs(cdp: Cdp, tell: (note: Note) => void): void {
  cdp.on('Page.javascriptDialogOpening', (dialog: DialogEvent) => {
    const promptText = dialog.defaultPrompt ?? ''
    // Fails only when someone else has answered it already.
    cdp.send('Page.handleJavaScriptDialog', { accept: true, promptText }).catch(() => {})
    tell(words(dialog, promptText))
  })
}

function words({ type, message }: DialogEvent, promptText: string): Note {
  const content = `Dialog: ${JSON.stringify(message.slice(0, TEXT_CHARS_MAX))}`
  switch (type) {
    case 'alert':
      return { said: 'The page showed an alert. It was closed.', content }
    case 'confirm':
      return { said: 'The page asked to confirm. It was answered with OK.', content }
    case 'prompt':
      return {
        said: 'The page asked for input. Its own suggestion was taken.',
        content: `${content}, suggested: ${JSON.stringify(promptText)}`,
      }
    case 'beforeunload':
      return { said: 'The page asked whether to leave it. Leaving was confirmed.' }
  }
}
