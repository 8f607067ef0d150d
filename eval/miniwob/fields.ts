import { type Hands, refIn } from '../harness/hands.ts'
import { Unsolved } from '../harness/task.ts'
import { around, named, nth, ordinal, type Seen, type Solver, said, submit, until } from './helpers.ts'

/** Fills fields in their order, then submits. */
const fillAll =
  (values: (words: string, tree: string) => readonly string[], button = 'Submit'): Solver =>
  async (s, { tree, words }) => {
    for (const [at, value] of values(words, tree).entries()) await s.fill(nth(tree, /textbox|field/, at + 1), value)
    return submit(s, button, tree)
  }

/** A window may come in the way at any moment. */
async function pastPopup(s: Hands, act: (tree: string) => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    const tree = await s.look()
    const cancel = refIn(tree, named('Cancel', 'button'))
    if (cancel !== null) await s.click(cancel)
    try {
      await act(cancel === null ? tree : await s.look())
      return
    } catch (error) {
      if (turn === 2) throw error
    }
  }
}

const login: Solver = async (s, { words }) => {
  const values = [said(words, /username "\s*(.+?)\s*"/), said(words, /password "\s*(.+?)\s*"/)]
  for (const [at, value] of values.entries()) {
    await pastPopup(s, (tree) => s.click(nth(tree, /textbox/, at + 1)))
    await pastPopup(s, (tree) => s.fill(nth(tree, /textbox/, at + 1), value))
  }
  await pastPopup(s, (tree) => s.click(nth(tree, /button "(Login|OK|Submit)"/, 1)))
}

function arithmetic(words: string): string {
  const [, a, sign, b] = /(-?\d+)\s*([-+*x×])\s*(-?\d+)\s*=/.exec(words) ?? []
  const [x, y] = [Number(a), Number(b)]
  return String(sign === '+' ? x + y : sign === '-' ? x - y : x * y)
}

/** `x - 2 = 42`, `7 + x = 9`, `3 - x = 1` … */
function algebra(words: string): string {
  const [, left = '', right = ''] = /([x\d]+ [-+] [x\d]+) = (-?\d+|x)/.exec(words.replace(/−/g, '-')) ?? []
  for (let x = -500; x <= 500; x += 1) {
    const [a = '', sign, b = ''] = left.split(' ')
    const value = (term: string) => (term === 'x' ? x : Number(term))
    const sum = sign === '+' ? value(a) + value(b) : value(a) - value(b)
    if (sum === value(right)) return String(x)
  }
  throw new Unsolved(`no solution of ${words}`)
}

const monthNames = 'January February March April May June July August September October November December'.split(' ')

const CALENDAR = /"1[0-9]"[^\n]*\[/

/** jQuery UI's calendar: forward or back to the month, then the day. */
async function pickDate(s: Hands, date: string, opened: string): Promise<string> {
  const [month = 1, day = 1] = date.split('/').map(Number)
  let tree = opened
  for (let turn = 0; turn < 14; turn += 1) {
    const shown = monthNames.findIndex((name) => tree.includes(name)) + 1
    if (shown === 0) throw new Unsolved(`no month in ${tree}`)
    if (shown === month) return s.click(await s.ref(new RegExp(`(link|gridcell|cell|button) "${day}"[^\\n]*\\[`), tree))
    await s.click(await s.ref(shown < month ? /"Next"/ : /"Prev"/, tree))
    tree = await s.look()
  }
  throw new Unsolved('the month was not reached')
}

const chooseDate: Solver = async (s, { tree, words }) => {
  await s.click(nth(tree, /textbox/, 1))
  await pickDate(s, said(words, /Select (\S+) as the date/), await until(s, CALENDAR))
  return submit(s)
}

const bookFlight: Solver = async (s, { tree, words }) => {
  const [, from = '', to = '', date = ''] = /from: (.+?) to: (.+?) on (\d\d\/\d\d\/\d{4})/.exec(words) ?? []
  for (const [at, place] of [from, to].entries()) {
    await s.type(place, nth(tree, /textbox/, at + 1))
    const shown = await until(s, /menuitem|option|listitem/)
    await s.click(await around(s, suggestions(shown), place))
  }
  await s.click(nth(await s.look(), /textbox/, 3))
  await pickDate(s, date, await until(s, CALENDAR))
  await submit(s, 'Search')
  const results = await until(s, /button "Book flight/)
  const said = results.replace(/\s+/g, ' ')
  const amounts = /cheapest/.test(words)
    ? [...said.matchAll(/Book flight for \$(\d+)/g)].map(([, dollars]) => Number(dollars))
    : [...said.matchAll(/(?:(\d+)h )?(\d+)m/g)].map(([, h = '0', m]) => Number(h) * 60 + Number(m))
  return s.click(nth(results, /button "Book flight/, amounts.indexOf(Math.min(...amounts)) + 1))
}

/** What stands in the list, without what the page says of it. */
const suggestions = (tree: string): string => {
  const lines = tree.split('\n')
  return `\n\n${lines.slice(lines.findIndex((line) => /\b(menu|listbox|list)\b/.test(line))).join('\n')}`
}

const autocomplete: Solver = async (s, { tree, words }) => {
  const [start, end] = [said(words, /starts with "\s*(.+?)\s*"/), /ends with "\s*(.+?)\s*"/.exec(words)?.[1] ?? '']
  await s.type(start, nth(tree, /textbox|combobox/, 1))
  const shown = await until(s, /menuitem|option|listitem/)
  for (const [, name = ''] of suggestions(shown).matchAll(/"([^"]+)"/g)) {
    if (!name.startsWith(start) || !name.endsWith(end)) continue
    await s.click(await around(s, suggestions(shown), name))
    return submit(s)
  }
  throw new Unsolved(`nothing that ends so: ${shown}`)
}

const nthArea = (words: string) => ordinal(said(words, /the (\d)\w\w text area/))
const valueAt = async (s: Hands, ref: string) =>
  JSON.parse(`"${/value="((?:[^"\\]|\\.)*)"/.exec(await s.call('read_page', { ref }))?.[1] ?? ''}"`) as string

/** The field that holds more. */
const longest = ({ tree }: Seen): number => {
  const lines = tree.split('\n').filter((line) => /^\s*\*?textbox/.test(line))
  return lines.findIndex((line) => /value="/.test(line)) + 1
}

const copy =
  (area: (seen: Seen) => number, field: (area: number) => number): Solver =>
  async (s, seen) => {
    const from = area(seen)
    await s.press('ctrl+a ctrl+c', nth(seen.tree, /textbox/, from))
    await s.press('ctrl+v', nth(seen.tree, /textbox/, field(from)))
    return submit(s, 'Submit', seen.tree)
  }

const lookup = (tree: string, label: string): string => {
  const flat = tree.replace(/\s+/g, ' ')
  return said(flat, new RegExp(`(?:cell "${label}"(?: \\[\\w+\\])? cell "|row "${label} \\| )([^"]*)"`))
}

async function form({ words, tree }: Seen, s: Hands): Promise<unknown> {
  const [, which, kind, number = '', field] =
    /Check the (\d)\w\w (radio button|checkbox) and enter the number "(-?\d+)" into the (\d)\w\w textbox/.exec(words) ??
    []
  await s.click(nth(tree, kind === 'checkbox' ? /checkbox/ : /radio/, Number(which)))
  await s.fill(nth(tree, /textbox/, Number(field)), number)
  return submit(s, 'Submit', tree)
}

const movies: Solver = async (s, { words, tree }) => {
  const [, genre = '', name = '', year = ''] =
    /Search for (.+?) movies directed by (.+?) from year (\d+)/.exec(words) ?? []
  const values: Readonly<Record<string, string>> = { Genre: genre, Year: year, Date: year, Director: name }
  const labels = tree.match(/\b(Genre|Year|Date|Director)\b/g) ?? []
  const order = [...new Set(labels)]
  for (const [at, label] of order.entries()) await s.fill(nth(tree, /textbox/, at + 1), values[label] ?? '')
  return s.click(/"(Submit|Search|Go|Find|OK)!?"[^\n]*\[/i)
}

export const FIELDS: Readonly<Record<string, Solver>> = {
  'enter-text': fillAll((words) => [said(words, /Enter "\s*(.+?)\s*"/)]),
  'enter-text-dynamic': fillAll((words) => [said(words, /Enter "\s*(.+?)\s*"/)]),
  'enter-text-2': fillAll((words) => {
    const text = said(words, /Type "\s*(.+?)\s*"/)
    return [/upper/.test(words) ? text.toUpperCase() : text.toLowerCase()]
  }),
  'enter-password': fillAll((words) => Array(2).fill(said(words, /password "\s*(.+?)\s*"/))),
  'enter-date': fillAll((words) => [said(words, /Enter (\S+) as/).replace(/(\d+)\/(\d+)\/(\d+)/, '$3-$1-$2')]),
  'enter-time': fillAll((words) => {
    const [, hour = '', minute = '', half] = /Enter (\d+):(\d+) (AM|PM)/.exec(words) ?? []
    return [`${String((Number(hour) % 12) + (half === 'PM' ? 12 : 0)).padStart(2, '0')}:${minute}`]
  }),
  'login-user': login,
  'login-user-popup': login,
  'simple-arithmetic': fillAll((words) => [arithmetic(words)]),
  'simple-algebra': fillAll((words) => [algebra(words)]),
  'find-word': fillAll((words) => {
    const [, n = '1', text = ''] = /the (\d+)\w\w word .*?"Submit"\. (.+?) Submit/.exec(words) ?? []
    return [(text.split(' ')[Number(n) - 1] ?? '').replace(/[.,]/g, '')]
  }),
  'text-transform': fillAll((_, tree) => {
    const texts = tree.slice(0, tree.search(/textbox/)).matchAll(/text "((?:[^"\\]|\\.)*)"/g)
    const said = [...texts].map(([, text]) => text).join(' ')
    return [said.slice(said.indexOf('press Submit.') + 'press Submit.'.length).replace(/\s/g, '')]
  }),
  'copy-paste': copy(longest, (area) => (area === 1 ? 2 : 1)),
  'copy-paste-2': copy(
    ({ words }) => nthArea(words),
    () => 4,
  ),
  'read-table': fillAll((words, tree) => [lookup(tree, said(words, /value of (.+?) into/))]),
  'read-table-2': fillAll((words, tree) =>
    [...words.slice(words.indexOf('Language')).matchAll(/([A-Z][A-Za-z ]+?):/g)]
      .map(([, label = '']) => label.trim().replace(/^Language \w+ /, ''))
      .filter((label) => !/reward|average|left|done/.test(label))
      .slice(0, 2)
      .map((label) =>
        lookup(
          tree,
          label.replace(/^.*(Color|Gender|Country|Year of Birth|Language|First name|Last name|Religion)$/, '$1'),
        ),
      ),
  ),
  'scroll-text': async (s, { tree }) => {
    const text = await valueAt(s, nth(tree, /textbox/, 1))
    const last = text.trim().split(/\s+/).at(-1) ?? ''
    await s.fill(nth(tree, /textbox/, 2), last.replace(/[.,]$/, ''))
    return submit(s, 'Submit', tree)
  },
  'choose-date': chooseDate,
  'choose-date-easy': chooseDate,
  'choose-date-medium': chooseDate,
  'choose-date-nodelay': chooseDate,
  'book-flight': bookFlight,
  'book-flight-nodelay': bookFlight,
  'use-autocomplete': autocomplete,
  'use-autocomplete-nodelay': autocomplete,
  'form-sequence-2': (s, seen) => form(seen, s),
  'form-sequence-3': async (s, { tree, words }) => {
    const wanted = said(words, /Choose (.+?) from/)
    if (/combobox/.test(tree)) {
      await s.fill(nth(tree, /combobox/, 1), wanted)
      await s.press('Escape')
    } else {
      await s.click(nth(tree, /clickable/, 1))
      await s.click(await around(s, await s.look(), wanted))
    }
    return s.click(named(said(words, /labeled "(.+?)"/), 'button'))
  },
  'choose-list': async (s, { tree, words }) => {
    await s.fill(nth(tree, /combobox/, 1), said(words, /Select (.+?) from the list/))
    return submit(s, 'Submit', tree)
  },
  'multi-layouts': movies,
  'multi-orderings': movies,
}
