import { partsOf } from './highlight.ts'
import { type Html, html } from './html.ts'

/** A piece of code as a page shows it. */
export interface Snippet {
  /** As a fence of markdown names it; empty: unknown. */
  readonly language: string
  readonly text: string
  /** Of a file, or what else the head of its box says. */
  readonly title?: string
  /** What it is, read aloud. */
  readonly label?: string
}

/** The languages between which a reader chooses, by what fences call them. */
const LANGUAGES: Readonly<Record<string, readonly [id: string, name: string]>> = {
  sh: ['curl', 'curl'],
  ts: ['typescript', 'TypeScript'],
  js: ['typescript', 'TypeScript'],
  python: ['python', 'Python'],
}

/** Whether the same is said by each of them in another language. */
export const areAlternatives = (snippets: readonly Snippet[]): boolean => {
  const ids = snippets.map(({ language }) => LANGUAGES[language]?.[0])
  return !ids.includes(undefined) && new Set(ids).size === ids.length
}

/**
 * [P16] Code in a box, with a button that copies it; alternatives lie behind one another, and the reader's choice of a language holds
 * for all boxes. Without scripts all of them are shown, and neither buttons nor choices.
 */
export function codeBox(snippets: readonly Snippet[]): Html {
  const [first] = snippets
  const choices = snippets.map(({ language }) => LANGUAGES[language] ?? ['', ''])
  const head =
    snippets.length > 1
      ? html`<span class="pick" role="group" aria-label="Language">${choices.map(
          ([id, name], at) =>
            html`<button type="button" data-language="${id}" aria-pressed="${at === 0 ? 'true' : 'false'}">${name}</button>`,
        )}</span>`
      : html`<span class="title">${first?.title ?? NAMES[first?.language ?? ''] ?? 'Example'}</span>`
  return html`<div class="code-box"><div class="head">${head}<button type="button" data-copy>Copy</button></div>
${snippets.map(
  ({ language, text, title, label }, at) =>
    html`<pre tabindex="0" role="group" aria-label="${label ?? title ?? NAMES[language] ?? 'Code'}" class="in-${choices[at]?.[0] || 'other'}"><code>${highlighted(text, language)}</code></pre>`,
)}</div>`
}

/** A command that somebody copies into a terminal. A page that has it loads `copy.js`. */
export const command = (text: string): Html => codeBox([{ language: 'sh', text, title: 'Command' }])

const NAMES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  bash: 'Shell',
  ts: 'TypeScript',
  js: 'JavaScript',
  python: 'Python',
  json: 'JSON',
}

/** With comments, texts and words of the language marked. */
const highlighted = (text: string, language: string): Html =>
  html`${partsOf(text, language).map(([kind, part]) => (kind === '' ? html`${part}` : html`<span class="${kind}">${part}</span>`))}`
