import { element, roughly } from './format.ts'

/**
 * @typedef {{ address: string, state: string, since: number | null, startedAt: number, deadlineAt: number | null,
 *   supervisor: string | null, endedAt: number | null }} Line
 * @typedef {{ row: HTMLElement, cells: HTMLElement[], line: Line }} Row
 */

/** Rows above and below those in sight, so that a quick hand finds no hole. */
const BEYOND = 8

/**
 * The list of actors. Only the rows in sight are there: a thousand actors that move all the time cost what twenty cost.
 * What changes is drawn with the next frame, once.
 */
export class ActorList {
  /** Who is there, in the order of the list. @type {Map<string, Line>} */
  #lines = new Map()
  /** Those that the filter leaves; `null`: to be looked up again. @type {Line[] | null} */
  #left = null
  /** @type {Map<string, Row>} */
  #rows = new Map()
  #filter = ''
  #focus = ''
  #drawing = false
  #rowPx = 0

  /** @param {HTMLElement} body @param {() => number} now */
  constructor(body, now) {
    this.body = body
    this.now = now
    this.table = body.parentElement ?? body
    this.box = this.table.parentElement ?? body
    this.box.addEventListener('scroll', () => this.#soon(), { passive: true })
    new ResizeObserver(() => this.#soon()).observe(this.box)
  }

  get size() {
    return this.#lines.size
  }

  get shown() {
    return this.#shown().length
  }

  /** @param {readonly Line[]} lines @param {readonly string[]} gone */
  change(lines, gone) {
    for (const address of gone) this.#lines.delete(address)
    const fresh = lines.filter(({ address }) => !this.#lines.has(address))
    for (const line of lines) if (this.#lines.has(line.address)) this.#lines.set(line.address, line)
    // New actors come first among their kind.
    if (fresh.length > 0) this.#lines = new Map([...fresh.map(entryOf), ...this.#lines])
    this.#left = null
    this.#soon()
  }

  /** Everybody anew. @param {readonly Line[]} lines */
  reset(lines) {
    const sorted = [...lines].sort((a, b) => b.startedAt - a.startedAt)
    this.#lines = new Map(sorted.map(entryOf))
    this.#left = null
    this.#soon()
  }

  /** @param {string} text */
  filter(text) {
    this.#filter = text.toLowerCase()
    this.#left = null
    this.box.scrollTop = 0
    this.#soon()
  }

  /** @param {string} address */
  focus(address) {
    this.#focus = address
    this.#soon()
  }

  /** Ages and deadlines of those in sight. */
  tick() {
    for (const row of this.#rows.values()) this.#times(row)
  }

  #shown() {
    if (this.#left) return this.#left
    // By kind: calls come and go all the time, and would push the tasks out of sight.
    const kinds = ORDER.map(() => /** @type {Line[]} */ ([]))
    for (const line of this.#lines.values()) {
      if (`${line.address} ${line.state}`.toLowerCase().includes(this.#filter)) kinds[rank(line.address)]?.push(line)
    }
    this.#left = kinds.flat()
    return this.#left
  }

  #soon() {
    if (this.#drawing) return
    this.#drawing = true
    requestAnimationFrame(() => {
      this.#drawing = false
      this.#draw()
    })
  }

  #draw() {
    const shown = this.#shown()
    const px = this.#rowPx || this.#measure(shown[0])
    const from = Math.max(0, Math.floor(this.box.scrollTop / px) - BEYOND)
    const seen = shown.slice(from, from + Math.ceil(this.box.clientHeight / px) + 2 * BEYOND)
    const wanted = new Set(seen.map(({ address }) => address))
    for (const [address, { row }] of this.#rows) {
      if (wanted.has(address)) continue
      row.remove()
      this.#rows.delete(address)
    }
    let before = this.body.firstElementChild
    for (const [n, line] of seen.entries()) {
      const known = this.#rows.get(line.address) ?? this.#make(line)
      this.#update(known, line, from + n)
      if (known.row === before) before = before.nextElementSibling
      else this.body.insertBefore(known.row, before)
    }
    this.body.style.paddingTop = `${from * px}px`
    this.body.style.paddingBottom = `${Math.max(0, shown.length - from - seen.length) * px}px`
    this.table.setAttribute('aria-rowcount', String(shown.length + 1))
  }

  /** @param {Line | undefined} line */
  #measure(line) {
    if (!line) return 1
    const { row } = this.#make(line)
    this.body.append(row)
    this.#rowPx = row.getBoundingClientRect().height
    return this.#rowPx || 1
  }

  /** @param {Line} line @returns {Row} */
  #make(line) {
    const { address } = line
    const link = element(
      'a',
      { href: `?actor=${encodeURIComponent(address)}`, 'data-address': address },
      ...name(address),
    )
    const cells = [element('td', CELL), element('td', CELL), element('td', CELL)]
    const head = element('th', { scope: 'row', role: 'rowheader' }, link)
    const made = { row: element('tr', { role: 'row' }, head, ...cells), cells, line }
    this.#rows.set(address, made)
    this.#times(made)
    return made
  }

  /** @param {Row} known @param {Line} line @param {number} place */
  #update(known, line, place) {
    const moved = known.line !== line
    known.line = line
    say(known.cells[0], line.state)
    known.row.classList.toggle('chosen', line.address === this.#focus)
    // The head of the table is its first row.
    const index = String(place + 2)
    if (known.row.ariaRowIndex !== index) known.row.ariaRowIndex = index
    if (moved) this.#times(known)
  }

  /** @param {Row} row */
  #times({ line, cells }) {
    const now = this.now()
    say(cells[1], line.since === null ? '' : roughly(now - line.since))
    say(cells[2], line.deadlineAt === null ? '' : roughly(line.deadlineAt - now))
  }
}

/** @param {Line} line @returns {[string, Line]} */
const entryOf = (line) => [line.address, line]

/** With explicit roles, because some screen readers do not treat rows laid out as a grid as rows. */
const CELL = { role: 'cell' }
const ORDER = ['task', 'session', 'call', 'closing', 'delivery', 'admission', 'workspace', 'janitor', 'service']
/** @param {string} address */
const rank = (address) => Math.max(0, ORDER.indexOf(address.slice(0, address.indexOf(':'))))

/** The end of an id tells: the ids of tasks begin with their time. @param {string} address */
function name(address) {
  const [noun = '', id = ''] = address.split(':')
  return [element('strong', {}, noun), element('span', { class: 'quiet' }, ` ${id.slice(-8)}`)]
}

/** Changes a text only where it differs: the page is laid out again for nothing else. @param {HTMLElement | undefined} cell @param {string} text */
function say(cell, text) {
  if (cell && cell.textContent !== text) cell.textContent = text
}
