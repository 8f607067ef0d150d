import { element, roughly } from './format.js'

/**
 * @typedef {{ address: string, state: string, since: number, startedAt: number, deadlineAt: number | null,
 *   supervisor: string | null, endedAt: number | null }} Line
 */

/** The list of actors. Rows are made once and changed where they differ; a thousand of them stay quick. */
export class ActorList {
  /** @type {Map<string, { line: Line, row: HTMLElement, cells: HTMLElement[] }>} */
  #rows = new Map()
  #filter = ''
  #focus = ''

  /** @param {HTMLElement} body @param {() => number} now */
  constructor(body, now) {
    this.body = body
    this.now = now
  }

  get size() {
    return this.#rows.size
  }

  get shown() {
    return [...this.#rows.values()].filter(({ row }) => !row.hidden).length
  }

  /** @param {readonly Line[]} lines @param {readonly string[]} gone */
  change(lines, gone) {
    for (const address of gone) {
      this.#rows.get(address)?.row.remove()
      this.#rows.delete(address)
    }
    const fresh = document.createDocumentFragment()
    for (const line of lines) {
      const known = this.#rows.get(line.address)
      if (known) this.#update(known, line)
      else fresh.append(this.#add(line))
    }
    this.body.prepend(fresh)
  }

  /** Everybody anew. @param {readonly Line[]} lines */
  reset(lines) {
    this.#rows.clear()
    this.body.replaceChildren()
    this.change(
      [...lines].sort((a, b) => rank(a.address) - rank(b.address) || b.startedAt - a.startedAt),
      [],
    )
  }

  /** @param {string} text */
  filter(text) {
    this.#filter = text.toLowerCase()
    for (const entry of this.#rows.values()) this.#hide(entry)
  }

  /** @param {string} address */
  focus(address) {
    this.#rows.get(this.#focus)?.row.classList.remove('chosen')
    this.#focus = address
    this.#rows.get(address)?.row.classList.add('chosen')
  }

  /** Ages and deadlines of those in sight. */
  tick() {
    const { top, bottom } = this.body.parentElement?.parentElement?.getBoundingClientRect() ?? { top: 0, bottom: 0 }
    const seen = [...this.#rows.values()].filter(({ row }) => {
      if (row.hidden) return false
      const place = row.getBoundingClientRect()
      return place.bottom >= top && place.top <= bottom
    })
    for (const entry of seen) this.#times(entry)
  }

  /** @param {Line} line */
  #add(line) {
    const link = element(
      'a',
      { href: `?actor=${encodeURIComponent(line.address)}`, 'data-address': line.address },
      ...name(line.address),
    )
    const cells = [element('td', {}), element('td', {}), element('td', {})]
    const row = element('tr', {}, element('th', { scope: 'row' }, link), ...cells)
    const entry = { line, row, cells }
    this.#rows.set(line.address, entry)
    row.classList.toggle('chosen', line.address === this.#focus)
    this.#update(entry, line)
    this.#times(entry)
    return row
  }

  /** @param {{ line: Line, row: HTMLElement, cells: HTMLElement[] }} entry @param {Line} line */
  #update(entry, line) {
    entry.line = line
    say(entry.cells[0], line.state)
    this.#hide(entry)
  }

  /** @param {{ line: Line, cells: HTMLElement[] }} entry */
  #times({ line, cells }) {
    const now = this.now()
    say(cells[1], roughly(now - line.since))
    say(cells[2], line.deadlineAt === null ? '' : roughly(line.deadlineAt - now))
  }

  /** @param {{ line: Line, row: HTMLElement }} entry */
  #hide({ line, row }) {
    const hidden = !`${line.address} ${line.state}`.toLowerCase().includes(this.#filter)
    if (row.hidden !== hidden) row.hidden = hidden
  }
}

const ORDER = ['task', 'session', 'call', 'closing', 'admission', 'workspace', 'janitor', 'service']
/** @param {string} address */
const rank = (address) => ORDER.indexOf(address.split(':')[0] ?? '')

/** @param {string} address */
function name(address) {
  const [noun = '', id = ''] = address.split(':')
  return [element('strong', {}, noun), element('span', { class: 'quiet' }, ` ${id.slice(0, 8)}`)]
}

/** Changes a text only where it differs: the page is laid out again for nothing else. @param {HTMLElement | undefined} cell @param {string} text */
function say(cell, text) {
  if (cell && cell.textContent !== text) cell.textContent = text
}
