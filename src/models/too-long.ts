/** [L19] How endpoints say that a request does not fit into the model's window. */
const WORDS = [
  /prompt (?:is|was) too long/i,
  /(?:input|prompt|request|conversation|messages?) (?:is|are|was) too (?:long|large) for/i,
  /context_length_exceeded|exceed_context_size|request_too_large|string_above_max_length/i,
  /(?:maximum|max|model'?s?|available|total) (?:allowed )?context (?:length|size|window)/i,
  /(?:exceeds?|exceeded|beyond|larger than|longer than|greater than|not fit in(?:to)?) (?:the )?(?:[\w’'-]+ ){0,3}(?:context|window|token limit)/i,
  /exceeds? the (?:maximum|max|limit)\b.{0,40}\btokens?/i,
  /(?:input )?token count .{0,40}exceeds/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /range of input length should be/i,
  /inputs? tokens? \+ .{0,20}max_new_tokens.{0,20} must be/i,
  /token limit(?:: | of | is )\d/i,
]

const NEAR = /token|context|length|window|input/i
/** Not the numbers in names of models (`gpt-4o-2024-08-06`), dates or ids. */
const NUMBERS = /(?<![\w.,-])\d[\d,_]{2,}(?:\.\d+)?(?!\w|[-:]\d)/g
const STATUS = /"(?:code|status\w*)"\s*:\s*"?\d+/g
/** What stands before or behind the number that is the limit. */
const LIMIT_BEFORE =
  /(?:max(?:imum)?|limit|allowed|available|window|context (?:length|size)|at most|up to|n_ctx|than|of|<=?|>)\W*(?:\w+\W+){0,4}$/i
const LIMIT_BEHIND = /^\W*(?:\w+\W+){0,2}(?:max(?:imum)?|limit|allowed|context)/i

/** `188240 + 21333 > 200000`, `[1, 30720]` */
const SUM = /(?<![\d,])(\d[\d,]*)\s*\+\s*(\d[\d,]*)\s*(?:>|exceeds?)\s*(\d[\d,]*)/
const RANGE = /\[\d+, ?(\d{4,})\]/

const numberOf = (text: string) => Number(text.replace(/[,_]/g, ''))

/** The numbers of a refusal that may count tokens, and where they stand. */
export const numbersIn = (said: string): { number: number; index: number; end: number }[] =>
  [...said.replace(STATUS, (status) => ' '.repeat(status.length)).matchAll(NUMBERS)].map(({ 0: number, index }) => ({
    number: numberOf(number),
    index,
    end: index + number.length,
  }))

export interface TooLong {
  /** The tokens that fit, where the endpoint says so. */
  readonly window: number | null
}

/** Whether a refusal says that the request was too long, in any wording; `null`: it says something else. */
export function tooLong(said: string): TooLong | null {
  const text = said.slice(0, SAID_CHARS_MAX)
  const isSaid = WORDS.some((words) => words.test(text))
  const near = numbersIn(text).filter(({ index, end }) => NEAR.test(text.slice(Math.max(0, index - 60), end + 60)))
  if (
    !isSaid &&
    !(near.length >= 2 && /exceed|too (?:long|large|many)|greater|longer|larger|limit|max(?:imum)?|must be/i.test(text))
  )
    return null
  const told = SUM.exec(text)?.[3] ?? RANGE.exec(text)?.[1]
  if (told !== undefined) return { window: numberOf(told) }
  const limits = near.filter(
    ({ index, end }) =>
      LIMIT_BEFORE.test(text.slice(Math.max(0, index - 60), index)) || LIMIT_BEHIND.test(text.slice(end, end + 40)),
  )
  const candidates = (limits.length > 0 ? limits : near)
    .map(({ number }) => number)
    .filter((number) => number >= WINDOW_LEAST)
  if (near.length < 2 && limits.length === 0) return { window: null }
  return { window: candidates.length === 0 ? null : Math.min(...candidates) }
}

/** [L48] How many tokens a reply may still have beside its request: `188240 + 21333 > 200000`, or a window and what the messages take. */
export function roomForReply(refusal: string): number | null {
  const said = refusal.slice(0, SAID_CHARS_MAX)
  const sum = SUM.exec(said)
  if (sum) return numberOf(sum[3] ?? '') - numberOf(sum[1] ?? '')
  const window = /(?:context (?:length|window|size)|n_ctx)\D{0,20}(\d[\d,]{2,})/i.exec(said)?.[1]
  const taken =
    /(?<![\d,])(\d[\d,]{2,}) (?:(?:input|prompt) tokens|(?:tokens )?in the (?:messages|prompt|input)|of text input)/i.exec(
      said,
    )
  const input = taken?.[1]
  return window && input ? numberOf(window) - numberOf(input) : null
}

/** What endpoints say stands at the beginning; patterns take their time. */
export const SAID_CHARS_MAX = 4_000
/** No model has a smaller window. */
const WINDOW_LEAST = 1_000
