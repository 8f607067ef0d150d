/** How long, in a few characters. @param {number} ms */
export function span(ms) {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} m ${String(Math.floor((ms % 60_000) / 1_000)).padStart(2, '0')} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} m` : `${Math.floor(hours / 24)} d`
}

/** How long, without what changes every moment. @param {number} ms */
export function roughly(ms) {
  if (ms < 60_000) return `${Math.max(0, Math.floor(ms / 1_000))} s`
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)} m` : span(ms)
}

/** The time of day to the millisecond. @param {number} at */
export function clockTime(at) {
  const date = new Date(at)
  return `${date.toLocaleTimeString('en-GB')}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/**
 * An element with what is in it.
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} content
 */
export function element(name, attributes, ...content) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...content)
  return made
}

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id)
  if (!found) throw new Error(`There is no #${id}`)
  return found
}
