/** What a test file came to. */
export interface Outcome {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Why tests were skipped, as their files said it. */
  readonly reasons: readonly string[]
  readonly output: string
  readonly ms: number
}

export const NOTHING: Outcome = { passed: 0, failed: 0, skipped: 0, reasons: [], output: '', ms: 0 }

/** How a test file's process ended. */
export interface Ended {
  readonly output: string
  /** `null` when a signal ended it. */
  readonly exitCode: number | null
  readonly timedOut: boolean
  readonly ms: number
}

/**
 * Reads uvu's summary, and `SKIPPED <n> <reason>` lines of the file itself. uvu's total is without what it skipped.
 * No summary, no test at all, a time-out and an exit code other than 0 are each at least one failure.
 */
export function tally({ output, exitCode, timedOut, ms }: Ended): Outcome {
  const total = summary(output, 'Total')
  const passed = summary(output, 'Passed') ?? 0
  const announced = [...output.matchAll(/^SKIPPED (\d+) (.+)$/gm)]
  const skipped = announced.reduce((sum, [, count]) => sum + Number(count), summary(output, 'Skipped') ?? 0)
  const broken = total === null || exitCode !== 0 || timedOut || total + skipped === 0
  return {
    passed,
    failed: Math.max((total ?? 0) - passed, broken ? 1 : 0),
    skipped,
    reasons: announced.map(([, count, reason]) => `${count} skipped: ${reason}`),
    output: output + why(total, skipped, exitCode, timedOut),
    ms,
  }
}

/** The last figure of this name: an earlier one may be output of what is tested. */
function summary(output: string, name: string): number | null {
  const figure = [...output.matchAll(new RegExp(`^ +${name}: +(\\d+)$`, 'gm'))].at(-1)?.[1]
  return figure === undefined ? null : Number(figure)
}

function why(total: number | null, skipped: number, exitCode: number | null, timedOut: boolean): string {
  if (timedOut) return '\nkilled: it took longer than the time limit of a test file\n'
  if (total === null) return `\nended without a summary, exit code ${exitCode}\n`
  if (total + skipped === 0) return '\nran no test\n'
  return ''
}

/** The outcome of a file that ran twice: the second run counts, except that it cannot take back a failure of the first. */
export const afterSecondRun = (first: Outcome | undefined, second: Outcome): Outcome => ({
  ...second,
  failed: Math.max(second.failed, first?.failed ?? 0),
})

export function add(left: Outcome, right: Outcome): Outcome {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
    reasons: [...left.reasons, ...right.reasons],
    output: '',
    ms: left.ms + right.ms,
  }
}

const counts = ({ passed, failed, skipped }: Outcome) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

/** One file in one line. */
export const line = (file: string, outcome: Outcome) =>
  `${outcome.failed > 0 ? '✘' : '✓'} ${file}  ${counts(outcome)}  ${(outcome.ms / 1000).toFixed(1)} s`

/** The end of a run: why something was skipped, then the count alone on the last line. */
export const closing = (total: Outcome) => ['', ...total.reasons, counts(total)].join('\n')
