/** What never leaves, whatever it is called where: secrets, and what people, models and pages wrote. */
const SECRET = /token|secret|password|cookie|authorization|hash|(^|[a-z])key$/i
const CONTENT =
  /^(input|output|outcome|result|text|lastText|answer|task|url|context|message|screenshot|image|title|label|content|name|email|reason|error|refusal|said|schema|metadata|question|options|page)$/
/** An id, a name, an address: a word of the service itself. */
const PLAIN = /^[\w.:#/-]{0,80}$/
const DEPTH_MAX = 8
const ITEMS_MAX = 50

/**
 * A copy of plain data that may be shown: its shape, ids, names, times and counts. Secrets and page content are
 * replaced by what they are; whatever is neither surely harmless nor known is treated as content.
 */
export function redacted(value: unknown, name = '', depth = 0): unknown {
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'number') {
    return value ?? null
  }
  if (SECRET.test(name)) return '‹secret›'
  if (typeof value === 'string') {
    if (CONTENT.test(name) || !PLAIN.test(value) || /svc_[a-z]+_/.test(value)) return contentOf(value)
    return value
  }
  if (typeof value !== 'object') return `‹${typeof value}›`
  if (CONTENT.test(name) && depth > 0) return '‹content›'
  if (depth >= DEPTH_MAX) return '‹more›'
  if (Array.isArray(value)) {
    const shown = value.slice(0, ITEMS_MAX).map((item) => redacted(item, name, depth + 1))
    return value.length > ITEMS_MAX ? [...shown, `‹${value.length - ITEMS_MAX} more›`] : shown
  }
  const entries = Object.entries(value)
  const shown = entries.slice(0, ITEMS_MAX).map(([key, item]) => [key, redacted(item, key, depth + 1)])
  if (entries.length > ITEMS_MAX) shown.push(['…', `‹${entries.length - ITEMS_MAX} more›`])
  return Object.fromEntries(shown)
}

const contentOf = (text: string) => (text === '' ? '' : `‹${text.length} characters›`)

/**
 * An event as it is kept until somebody looks: itself, but without what would be hidden whole, which nothing else may need
 * any more: secrets, and results with their pictures.
 */
export function heldUntilLook<Event extends { readonly type: string }>(event: Event): Event {
  let held = event
  for (const [name, value] of Object.entries(event)) {
    const isText = typeof value === 'string'
    if (!isText && (typeof value !== 'object' || value === null)) continue
    if ((isText ? SECRET : CONTENT).test(name)) held = { ...held, [name]: isText ? '' : {} }
  }
  return held
}

/** What an event carries beside its type and time, as it may be shown; `null`: nothing. */
export function payloadOf(event: { readonly type: string } | null): object | null {
  if (event === null) return null
  let shown: Record<string, unknown> | null = null
  for (const [name, value] of Object.entries(event)) {
    if (name === 'type' || name === 'at') continue
    shown ??= {}
    shown[name] = redacted(value, name, 1)
  }
  return shown
}
