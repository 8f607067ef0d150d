/** What went wrong, in one line. */
export function lineOf(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error)
  return message.split('\n', 1)[0]?.trim() || 'Something went wrong.'
}

const WIDTH_MIN = 60
const WIDTH_MAX = 110

/** How wide lines may be. */
export const width = (): number => Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, process.stdout.columns ?? WIDTH_MAX))

const coloured = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR
const paint = (code: number) => (text: string) => (coloured() ? `\u001b[${code}m${text}\u001b[0m` : text)
export const bold = paint(1)
export const dim = paint(2)
export const red = paint(31)
export const green = paint(32)

/** What pages and models say is printed, too: of what a terminal obeys only our own colours, and line breaks, are left. */
const OBEYED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be printed
  /(?!\u001b\[(?:0|1|2|31|32)m)[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

export const say = (line = ''): void => {
  process.stdout.write(`${line.replace(OBEYED, '\ufffd')}\n`)
}

/** One line of text, cut to `max` characters. */
export function oneLine(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${line.slice(0, Math.max(0, max - 1))}…`
}

/** The words of a text in lines of at most `max` characters; a longer word stays whole. */
export function wrapped(text: string, max: number): string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const last = lines.length - 1
    const longer = lines[last] ? `${lines[last]} ${word}` : word
    if (longer.length <= max || !lines[last]) lines[last] = longer
    else lines.push(word)
  }
  return lines
}

/** Names and values below each other: `  Name    value`. */
export function pairs(rows: readonly (readonly [name: string, value: string])[]): string {
  const wide = Math.max(...rows.map(([name]) => name.length))
  const gap = `\n${' '.repeat(wide + 4)}`
  const lines = (value: string) => wrapped(value, width() - wide - 4).join(gap)
  return rows.map(([name, value]) => `  ${dim(name.padEnd(wide))}  ${lines(value)}`).join('\n')
}

/** Rows below a heading, every column as wide as its widest cell. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [dim(line(heading)), ...rows.map(line)].join('\n')
}

/**
 * What nobody caught is a bug: it is told in one line, `record` may keep the rest, and the process ends with 1.
 * A second call replaces the first.
 */
export function dieOfBugs(record: (error: unknown) => void = () => {}): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.removeAllListeners(event)
    process.on(event, (error: unknown) => {
      process.stderr.write(`Unexpected error, the process exits (this is a bug): ${lineOf(error)}\n`)
      record(error)
      process.exit(1)
    })
  }
}

/**
 * The process that exits from here on ends by SIGKILL, after the listeners of `exit`, which write out the log. The exit of
 * node (`reallyExit` too) joins the threads of its pool, where a write of lmdb may wait for this very thread: the process
 * would stay for ever, and keep its data folder.
 */
export function killAtExit(): void {
  process.once('exit', () => process.kill(process.pid, 'SIGKILL'))
}
