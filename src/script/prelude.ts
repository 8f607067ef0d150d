/**
 * What a script finds in its world, as JavaScript that is run there before it. A function of it is given to the host, which
 * the script cannot reach: `step(answer)` goes on until the script waits for a call or is over, and `state()` says which.
 * A script may change whatever it sees of this world: the host checks each call as if the model had made it.
 */
export const PRELUDE = String.raw`(() => {
  'use strict'
  const { stringify, parse } = JSON
  const none = (what) => function () { throw new Error('A script has no ' + what) }
  Math.random = none('random numbers')
  globalThis.Date = Object.assign(none('clock'), { now: none('clock') })

  let queue = []
  let over = null
  let log = ''
  let stray = null
  /** Where the verbs that are under way were called. */
  let places = []
  /** Where the newest verb was called. */
  let last = ''

  const isPlain = (value) => typeof value === 'object' && value !== null
  const text = (value) => typeof value === 'string' ? value : stringify(value) ?? String(value)
  const errorOf = (error) => {
    const isError = isPlain(error) && typeof error.message === 'string'
    return { message: isError ? (error.name && error.name !== 'Error' ? error.name + ': ' : '') + error.message : 'Thrown: ' + text(error), stack: isError ? String(error.stack) : '' }
  }

  const ask = (tool, input) => new Promise((resolve, reject) => { queue = [...queue, { tool, input, resolve, reject }] })

  /** A verb whose errors have the line of the script that called it. One that fails unnoticed ends the script. */
  const told = (verb) => (...args) => {
    const place = new Error('').stack
    let isAwaited = false
    places = [...places, place]
    last = place
    const done = () => { places = places.filter((other) => other !== place) }
    const promise = verb(...args).then(
      (value) => { done(); return value },
      (error) => {
        done()
        if (isPlain(error)) error.stack = place
        if (!isAwaited) stray = error
        throw error
      },
    )
    promise.catch(() => {})
    const waits = (name) => (...handlers) => { isAwaited = true; return promise[name](...handlers) }
    return { then: waits('then'), catch: waits('catch'), finally: waits('finally') }
  }

  const LINE = /^ *\*?([a-z][a-z ]*?)(?: ("(?:[^"\\]|\\.)*"))? \[((?:f\d+)?e\d+)\]/
  const elementsIn = (content) => content.split('\n').flatMap((line) => {
    const [, role, name, ref] = LINE.exec(line) ?? []
    return ref === undefined ? [] : [{ ref, role, name: name === undefined ? '' : parse(name), line: line.trim() }]
  })
  const called = (target) => [target.role, target.name === undefined ? undefined : stringify(target.name)].filter(Boolean).join(' ')
  const same = (text) => text.replace(/\s+/g, ' ').trim()

  const refOf = async (target) => {
    if (typeof target === 'string') {
      if (/^(f\d+)?e\d+$/.test(target)) return target
      throw new TypeError('A target is a ref such as "e12", or {role, name}, not ' + stringify(target))
    }
    if (!isPlain(target)) throw new TypeError('A target is missing: give a ref, or {role, name}')
    if (typeof target.ref === 'string') return target.ref
    const { role, name, within } = target
    if (role === undefined && name === undefined) throw new TypeError('A target needs role, name or both')
    const found = await matching(role, name, within)
    if (found.length === 1) return found[0].ref
    const where = within === undefined ? 'on the page' : 'in there'
    throw new Error(found.length === 0
      ? 'There is no ' + called(target) + ' ' + where
      : found.length + ' elements ' + where + ' are called ' + called(target) + ': use within, or a ref')
  }
  const matching = async (role, name, within) => {
    const { content } = within === undefined
      ? await ask('find', { query: [name, role].filter(Boolean).join(' ') })
      : await ask('read_page', { ref: await refOf(within) })
    const all = elementsIn(content).filter((each) => role === undefined || each.role === role)
    if (name === undefined) return all
    const exact = all.filter((each) => same(each.name) === same(name))
    return exact.length > 0 ? exact : all.filter((each) => same(each.name).toLowerCase() === same(name).toLowerCase())
  }

  /** A word that a verb cannot do without: what is missing would be typed, or opened, as "undefined". */
  const needed = (call, value) => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
    throw new TypeError(call + ' needs a text, not ' + (value === undefined ? 'undefined' : text(value)))
  }
  /** The same for what is written: data becomes JSON. */
  const written = (call, value) => isPlain(value) ? text(value) : needed(call, value)

  const given = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
  const answer = ({ said, content }) => [said, content].filter(Boolean).join('\n')
  const act = async (tool, fields, { irreversible, look = 'none' } = {}) =>
    answer(await ask(tool, given({ ...fields, look, intent: irreversible ? 'irreversible' : undefined })))
  const computer = (action, fields, options) => act('computer', { action, ...fields }, options)
  const optionalRef = async (target) => target === undefined || target === null ? undefined : refOf(target)

  const cellsIn = (content) => {
    const rows = []
    let own = null
    for (const line of content.split('\n')) {
      const [, indent, role, name] = /^( *)\*?([a-z]+)(?: ("(?:[^"\\]|\\.)*"))?/.exec(line) ?? []
      if (role === undefined) continue
      const said = name === undefined ? '' : parse(name)
      if (role === 'row') {
        own = { depth: indent.length, cells: name === undefined ? [] : said.split(' | ') }
        rows.push(own)
      } else if (own && indent.length > own.depth && /^(cell|gridcell|columnheader|rowheader)$/.test(role)) own.cells.push(said)
    }
    return rows.map(({ cells }) => cells)
  }

  const waitFor = async ({ text, gone, target, s }) => {
    if (target === undefined) {
      let left = s ?? 10
      for (;;) {
        const duration = Math.min(left, 10)
        left -= duration
        try {
          return await computer('wait', { text, gone, duration })
        } catch (error) {
          if (left <= 0) throw error
        }
      }
    }
    for (let left = s ?? 10; ; left -= 1) {
      try {
        return await refOf(target)
      } catch (error) {
        if (left <= 0) throw error
        await computer('wait', { duration: 1 })
      }
    }
  }

  const CLICKS = { left: 'left_click', right: 'right_click' }
  const verbs = {
    click: async (target, options = {}) => computer(options.double ? 'double_click' : CLICKS[options.button ?? 'left'] ?? String(options.button), { ref: await refOf(target), modifiers: options.modifiers }, options),
    type: async (target, text, options = {}) => computer('type', { ref: await optionalRef(target), text: needed('type(target, text)', text), clear: options.clear }, options),
    set: async (target, value, options) => {
      if (value === undefined || value === null) needed('set(target, value)', value)
      return act('form_input', { ref: await refOf(target), value }, options)
    },
    key: async (keys, options = {}) => computer('key', { text: needed('key(keys)', keys), repeat: options.repeat }, options),
    hover: async (target, options) => computer('hover', { ref: await refOf(target) }, options),
    drag: async (from, to, options) => computer('left_click_drag', { ref: await refOf(from), to_ref: await refOf(to) }, options),
    scroll: async (direction = 'down', options = {}) => computer('scroll', { scroll_direction: direction, scroll_amount: options.amount, ref: await optionalRef(options.target) }, options),
    navigate: async (url, options) => act('navigate', { url: needed('navigate(url)', url) }, options),
    wait: async (what = 1) => typeof what === 'number' ? computer('wait', { duration: what })
      : what.text === undefined && what.gone === undefined && what.target === undefined ? computer('wait', { duration: what.s })
      : waitFor(what),
    read: async (options = {}) => answer(await ask('read_page', given({ ref: await optionalRef(options.ref), filter: options.filter, page: options.page }))),
    find: async (words) => {
      const wanted = isPlain(words) ? [words.name, words.role].filter(Boolean).join(' ') || undefined : words
      return elementsIn((await ask('find', { query: needed('find(words)', wanted) })).content)
    },
    text: async (options = {}) => answer(await ask('get_page_text', given({ page: options.page }))),
    rows: async (target) => {
      const ref = await optionalRef(target)
      const rows = []
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const { said, content } = await ask('read_page', given({ ref, page }))
        rows.push(...cellsIn(content))
        pages = Number(/ page \d+ of (\d+)/.exec(said)?.[1] ?? 1)
      }
      // A cell that reaches down from the row above it.
      return rows.map((cells, at) => cells.map((cell, column) => cell === '\u2191' && at > 0 ? (rows[at][column] = rows[at - 1][column]) : cell))
    },
    tabs: async (options = { action: 'list' }) => answer(await ask('tabs', given({ ...options, look: options.action === 'list' ? undefined : 'none' }))),
    dialog: async (options) => act('dialog', options),
    write: async (name, words) => answer(await ask('files', { action: 'write', name: needed('write(name, text)', name), text: written('write(name, text)', words) })),
    note: async (words) => answer(await ask('note', { text: written('note(text)', words) })),
    log: async (...words) => { log += words.map(text).join(' ') + '\n' },
  }
  for (const [name, verb] of Object.entries(verbs)) Object.defineProperty(globalThis, name, { value: told(verb) })
  const { log: say } = globalThis
  globalThis.console = { log: say, warn: say, error: say, info: say }

  const start = (main) => {
    const ended = (value) => { over = value === undefined ? { value: '' } : { value: text(value) } }
    main().then(ended).catch((error) => { over = { error: errorOf(error) } })
  }
  const take = (json) => {
    const { failed, said, content } = parse(json)
    const [call, ...others] = queue
    queue = others
    if (!failed) return call.resolve({ said, content })
    call.reject(new Error(said))
  }
  const now = () => {
    if (stray) return { error: errorOf(stray) }
    if (over?.error) return { error: over.error }
    if (queue.length > 0) return { call: { tool: queue[0].tool, input: queue[0].input }, stack: String(places[0]) }
    return over ? { value: over.value } : { error: { message: 'The script waits for something that will never be', stack: last } }
  }
  const state = () => stringify({ log, last, ...now() })
  return { start, take, state }
})()`
