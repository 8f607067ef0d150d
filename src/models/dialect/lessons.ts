import type { ModelRequest } from '../../../actors/runtime/ports.ts'
import { numbersIn, roomForReply } from '../too-long.ts'
import { type Form, replyTokens } from '../wire/form.ts'

/** What an endpoint's refusal teaches. */
export interface Lesson {
  /** How endpoints say it. */
  readonly refusal: RegExp
  /** Statuses that say it without words. */
  readonly statuses?: readonly number[]
  /** The form to ask in instead; `null`: the form is that already, so the refusal means something else. */
  readonly change: (form: Form, said: string, request: ModelRequest) => Partial<Form> | null
  /** Whether a request that was taken in this form shows that the endpoint takes what the lesson would leave out. */
  readonly disproves?: (form: Form, request: ModelRequest) => boolean
  /** Whether a refusal is of the length of its request, and says nothing of others. */
  readonly isOfRequest?: (said: string) => boolean
  /** For the log, health and the page of models. */
  readonly words: string
}

/** Changes one field, where it has not that value already. Which requests have what is refused cannot be told. */
const to =
  <Field extends keyof Form>(field: Field, value: Form[Field]): Lesson['change'] =>
  (form) =>
    form[field] === value ? null : ({ [field]: value } as Partial<Form>)

/** The same, where that can be told. */
function where<Field extends keyof Form>(
  has: (request: ModelRequest) => boolean,
  field: Field,
  value: Form[Field],
): Pick<Lesson, 'change' | 'disproves'> {
  const isAsked = (form: Form, request: ModelRequest) => form[field] !== value && has(request)
  return {
    change: (form, _, request) => (isAsked(form, request) ? ({ [field]: value } as Partial<Form>) : null),
    disproves: isAsked,
  }
}
const always = () => true

const hasImages = ({ messages }: ModelRequest) =>
  messages.some((message) => message.role === 'tool' && message.results.some(({ image }) => image !== null))
const hasReplay = ({ messages }: ModelRequest) =>
  messages.some((message) => message.role === 'assistant' && message.replay !== undefined)
/** A user shows the images of results, too, where the wire has no other place for them. */
const hasUserAfterResults = (request: ModelRequest) =>
  hasImages(request) ||
  request.messages.some(({ role }, at) => role === 'user' && request.messages[at - 1]?.role === 'tool')

/** [L48] In the order in which they are tried: what names a parameter stands before what names a kind of content. */
export const LESSONS: readonly Lesson[] = [
  {
    refusal: /max_completion_tokens(?:['"`]? instead)|unsupported parameter:? ['"`]?max_tokens\b/i,
    ...where(always, 'maxTokens', 'max_completion_tokens'),
    words: 'the length of a reply is called max_completion_tokens here',
  },
  {
    refusal: /max_completion_tokens/i,
    ...where(always, 'maxTokens', 'max_tokens'),
    words: 'the length of a reply is called max_tokens here',
  },
  {
    refusal: /max_(?:completion_|output_|new_)?tokens|maxOutputTokens|output tokens|in the completion/i,
    change(form, said, request) {
      const asked = replyTokens(request, form)
      // The longest of those that are shorter: were it another number of the sentence, the next refusal takes the one below it.
      const told = numbersIn(said).filter(({ number }) => number < asked)
      const most = roomForReply(said) ?? Math.max(...told.map(({ number }) => number))
      return most >= SHORTEST_REPLY && most < asked ? { maxTokensMost: most } : null
    },
    isOfRequest: (said) => roomForReply(said) !== null,
    words: 'replies are shorter here than was asked for',
  },
  {
    refusal: /tool_?choice/i,
    ...where(({ mustCall }) => mustCall !== undefined, 'toolChoice', false),
    words: 'this endpoint is not told which tool a reply has to call',
  },
  {
    refusal: /effort|thinking|reasoning(?!_content)|output_config(?!\.format)/i,
    ...where(({ effort }) => Boolean(effort), 'effort', false),
    words: 'this endpoint is not told how hard to think',
  },
  {
    refusal: /reasoning_content|thinking block|signature/i,
    ...where(hasReplay, 'reasoning', false),
    words: 'reasoning does not go back to this endpoint',
  },
  {
    refusal: /eager_input_streaming/i,
    change: to('eagerInputs', false),
    words: 'inputs of tools are streamed a field at a time here',
  },
  {
    refusal: /stream_options|include_usage/i,
    change: to('streamUsage', false),
    words: 'streams do not tell tokens here when asked for them',
  },
  {
    refusal: /\bstream(?:ing|ed)?\b/i,
    statuses: [404, 405, 501],
    ...where(always, 'streams', false),
    words: 'this endpoint sends no streams',
  },
  {
    refusal: /cache_control|cachePoint/i,
    change: to('cacheMarks', false),
    words: 'this endpoint is not told what to keep in its prompt cache',
  },
  {
    refusal: /response_format|json_schema|json_object|output_config\.format|output_format|structured output/i,
    change: ({ json: form }, _, { json }) =>
      form === 'words' || !json ? null : { json: form === 'schema' ? 'object' : 'words' },
    words: 'JSON is asked for in another way here',
  },
  {
    refusal: /(?:at most|maximum of|up to|only|more than|limit of) (\d+) images?|too many images/i,
    change({ imagesMost }, said, request) {
      if (!hasImages(request)) return null
      const told = Number(/(?:at most|maximum of|up to|only|more than|limit of) (\d+) images?/i.exec(said)?.[1] ?? 1)
      const most = Math.min(told, (imagesMost ?? Infinity) - 1)
      return most >= 1 ? { imagesMost: most } : { images: 'none' }
    },
    words: 'this endpoint takes only some pictures',
  },
  {
    refusal: /(?:image|picture|media).*tool|tool.*(?:image|picture|media)/i,
    change: ({ images }, _, request) =>
      images === 'in-result' && hasImages(request) ? { images: 'after-result' } : null,
    words: 'pictures are not part of a result here',
  },
  {
    refusal: /image|vision|multi-?modal|unknown variant|content (?:must|should) be a string|content\.str/i,
    ...where(hasImages, 'images', 'none'),
    words: 'this endpoint takes no pictures',
  },
  {
    refusal: /tool.?call.?id|tool_use_id|length of 9|a-z, ?A-Z, ?0-9/i,
    change: to('callIds', 'nine'),
    words: 'ids of calls have nine letters and digits here',
  },
  {
    refusal:
      /(?:unexpected|after|last|following|alternat).{0,40}(?:role|message)|roles? .{0,40}(?:alternat|after|order)/i,
    ...where(hasUserAfterResults, 'afterResults', 'assistant'),
    words: 'a reply stands between results and the words of a user here',
  },
  {
    refusal: /system (?:role|message|prompt)|developer instruction|role ['"`]?system|only user and assistant/i,
    ...where(always, 'system', 'user'),
    words: 'the system prompt is the beginning of the first message here',
  },
  {
    refusal: /property (?:keys?|names?)|properties.{0,60}pattern|\^\[a-zA-Z0-9_\.?-/i,
    change: to('names', 'plain'),
    words: 'names of properties have letters, digits and few marks here',
  },
  {
    refusal: /\$ref|anyOf|oneOf|\bconst\b|\bformat\b|schema|additionalProperties/i,
    change: to('schemas', 'plain'),
    words: 'schemas of tools are simpler here',
  },
]

/** A limit below this is none of a reply's length, but some other number of the sentence. */
const SHORTEST_REPLY = 256
