import type { Cdp } from './cdp.ts'

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
export function answerDialogs(cdp: Cdp, tell: (note: string) => void): void {
  cdp.on('Page.javascriptDialogOpening', (dialog: DialogEvent) => {
    const promptText = dialog.defaultPrompt ?? ''
    // Fails only when someone else has answered it already.
    cdp.send('Page.handleJavaScriptDialog', { accept: true, promptText }).catch(() => {})
    tell(words(dialog, promptText))
  })
}

function words({ type, message }: DialogEvent, promptText: string): string {
  const text = JSON.stringify(message.slice(0, TEXT_CHARS_MAX))
  switch (type) {
    case 'alert':
      return `The page showed an alert: ${text}. It was closed.`
    case 'confirm':
      return `The page asked to confirm: ${text}. It was answered with OK.`
    case 'prompt':
      return `The page asked for input: ${text}. It was answered with ${JSON.stringify(promptText)}.`
    case 'beforeunload':
      return 'The page asked whether to leave it. Leaving was confirmed.'
  }
}
