import { isWithin } from './domains.ts'

/**
 * Secrets of a task: what its model writes in the place of a value, where it may write it, and which pages may have it.
 * Service, headless browser and extension decide by this one file.
 */

/** Announced by a browser, beside its tools, if it can fill in secrets. */
export const FILLS_SECRETS = 'secrets'

/** [X1] What is known of a secret without its value. */
export interface SecretRecord {
  readonly name: string
  /** The value itself, or what one-time codes are made of (RFC 6238). */
  readonly kind: 'value' | 'totp'
  /** As those of `allowed_domains`. */
  readonly domains: readonly string[]
  readonly description: string | null
}

/** A secret in a frame, beside the input that names it. */
export interface FrameSecret {
  readonly name: string
  readonly value: string
  readonly domains: readonly string[]
}

/** White space and capital letters are accepted, so that a misspelt placeholder is never typed as text. */
const PLACEHOLDER = /\{\{\s*secret\s*:\s*([^{}]*?)\s*\}\}/gi

export const placeholderOf = (name: string): string => `{{secret:${name}}}`

/** The names of the secrets that a text or an input has placeholders of, each once. */
export function secretsIn(value: unknown): string[] {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))]
}

/** The text with `instead` where it had placeholders. */
export const withoutPlaceholders = (text: string, instead: string): string => text.replaceAll(PLACEHOLDER, instead)

/** Where a text has placeholders of these secrets. */
export const placeholdersIn = (text: string, names: readonly string[]): { start: number; end: number }[] =>
  [...text.matchAll(PLACEHOLDER)].flatMap(({ 0: all, 1: name = '', index }) =>
    names.includes(name) ? [{ start: index, end: index + all.length }] : [],
  )

/** Replaces the placeholders in a text by their values. */
export const withValues = (text: string, secrets: readonly FrameSecret[]): string =>
  text.replace(PLACEHOLDER, (all, name: string) => secrets.find((secret) => secret.name === name)?.value ?? all)

/** Tools that the service carries out itself: they fill no field of a page. */
const OWN = new Set(['finish', 'ask_user'])

/** [X3] Why an input is not sent: it names an unknown secret, or names one where none is filled in. */
export function secretRefusal(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  secrets: readonly SecretRecord[],
): string | null {
  const named = OWN.has(tool) ? [] : secretsIn(input)
  if (named.length === 0) return null
  const unknown = named.find((name) => !secrets.some((secret) => secret.name === name))
  if (unknown !== undefined) return unknownSecret(unknown, secrets)
  const fields = FILLED_IN[input.action === 'type' ? `${tool} type` : tool] ?? []
  const others = Object.entries(input).filter(([field]) => !fields.includes(field))
  return secretsIn(Object.fromEntries(others)).length > 0 ? MISPLACED : null
}

/** The fields of an input where the browser fills in secrets. */
const FILLED_IN: Readonly<Record<string, readonly string[]>> = {
  form_input: ['value'],
  'computer type': ['text'],
  navigate: ['user', 'password'],
}
const MISPLACED =
  'Not run: a secret can only be written in the value of form_input, in the text of computer with the action type, and in user and password of navigate.'
const unknownSecret = (name: string, secrets: readonly SecretRecord[]): string =>
  `Not run: this task has no secret ${JSON.stringify(name)}. ${
    secrets.length === 0 ? 'It has none.' : `It has ${secrets.map((secret) => secret.name).join(', ')}.`
  }`

/**
 * [X4] Whether a document may have a secret of these domains: its own origin and those of every page around it are
 * within them. http counts on this machine alone, and where the domain names its port.
 */
export const mayHave = (domains: readonly string[], origins: readonly string[]): boolean =>
  origins.length > 0 && origins.every((origin) => isOriginWithin(domains, origin))

function isOriginWithin(domains: readonly string[], origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  if (protocol === 'https:' || THIS_MACHINE.test(hostname)) return isWithin(domains, origin)
  return isWithin(
    domains.filter((domain) => /:\d+$/.test(domain)),
    origin,
  )
}
const THIS_MACHINE = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/

/** What the model reads of the secrets that it may use. */
export const secretsBrief = (secrets: readonly SecretRecord[]): string =>
  [
    'Secrets of this task. Where a page asks for one, write its placeholder as the value of form_input, or as the text of computer with the action type: the browser puts the value in. For HTTP authentication write them as user and password of navigate. You never see a value. A secret works only on pages of its domains. Sign in with them yourself where the task needs it.',
    ...secrets.map(({ name, kind, domains, description }) => {
      const what = [description, kind === 'totp' ? 'a one-time code, made anew for each use' : null].filter(Boolean)
      return `- ${placeholderOf(name)} for ${domains.join(', ')}${what.length === 0 ? '' : `: ${what.join('; ')}`}`
    }),
  ].join('\n')
