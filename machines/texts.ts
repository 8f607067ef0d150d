import {
  CALLS_PER_REPLY_MAX,
  MODEL_REQUESTS_PER_SESSION_MAX,
  NOTES_CHARS_MAX,
  QUEUED_STARTS_MAX,
  RUNNING_TASKS_MAX,
  SCRIPT_CALLS_MAX,
  SECOND_MS,
  STARTS_PER_WINDOW_MAX,
  TOOL_INPUT_BYTES_MAX,
  TOOL_INPUT_DEPTH_MAX,
  TOOL_OUTPUT_DEPTH_MAX,
} from './limits.ts'

import type { Deviation } from './recipe.ts'

/** The failure categories of the spec. */
export const FAILURE_CATEGORIES = [
  'timeout',
  'browser_disconnected',
  'rate_limited',
  'llm_error',
  'aborted',
  'internal',
] as const
export type FailureCategory = (typeof FAILURE_CATEGORIES)[number]

/** An expected failure: a value, never thrown. `message` is the user-visible sentence. */
export interface Failure {
  readonly category: FailureCategory
  readonly message: string
}

// Tool calls
export const timedOut = (tool: string, timeoutMs: number): Failure => ({
  category: 'timeout',
  message: `Tool execution timed out after ${timeoutMs / SECOND_MS}s: ${tool}`,
})
export const disconnected = (sessionId: string): Failure => ({
  category: 'browser_disconnected',
  message: `Browser session ${sessionId} disconnected`,
})
export const relayNotConnected: Failure = { category: 'browser_disconnected', message: 'Relay not connected' }
export const inputTooDeep: Failure = {
  category: 'internal',
  message: `The input is nested more than ${TOOL_INPUT_DEPTH_MAX} levels deep.`,
}
export const inputTooLarge: Failure = {
  category: 'internal',
  message: `The input is larger than ${TOOL_INPUT_BYTES_MAX / 1024} KB.`,
}
export const cannotConfine: Failure = {
  category: 'internal',
  message:
    'This browser cannot keep a task within allowed_domains, so nothing was done. Its user has to update it. End the task.',
}
export const cannotFillSecrets: Failure = {
  category: 'internal',
  message: 'This browser cannot fill in secrets, so nothing was done. Its user has to update it. End the task.',
}
export const cannotRelease: Failure = {
  category: 'internal',
  message:
    'What was held is gone: the browser was replaced by one that cannot hold. Look at the page before you go on.',
}
export const secretsUnreadable: Failure = {
  category: 'internal',
  message:
    'The secrets of this task cannot be read any more: the service has another SECRETS_KEY than when the task was started. Nothing more can be done for this task. End it.',
}
export const noContextOptions: Failure = {
  category: 'internal',
  message:
    'This browser cannot be given a viewport, language, place or permissions for one task, so nothing was done. End the task.',
}
export const noProfiles: Failure = {
  category: 'internal',
  message: 'This browser cannot use profiles, so nothing was done. End the task.',
}
export const outputTooDeep: Failure = {
  category: 'internal',
  message: `The tool's output is nested more than ${TOOL_OUTPUT_DEPTH_MAX} levels deep.`,
}
/** Added to a reply's text: the model reads it as part of what it said. */
export const callsDropped = (count: number) =>
  `[${count} more tool calls of this reply were not run: a reply may have at most ${CALLS_PER_REPLY_MAX}.]`

const callsOf = (count: number) => (count === 1 ? '1 call' : `${count} calls`)
const rateLimited = (max: number) => `Rate limit exceeded. Max ${max} tasks per minute.`
const tooManyRunning = (max: number) => `Concurrent task limit reached (${max}). Wait for running tasks to complete.`
const queueFull = (max: number) => `The queue of this workspace is full (${max}).`

// Why a start is refused. `code` is the stable machine-readable name of the refusal.
export const REFUSALS = {
  no_allowance: 'No tasks remaining',
  places_held: 'All remaining tasks are held by running tasks.',
  rate_limited: rateLimited(STARTS_PER_WINDOW_MAX),
  too_many_running: tooManyRunning(RUNNING_TASKS_MAX),
  queue_full: queueFull(QUEUED_STARTS_MAX),
  session_not_found: 'Browser session not found',
  session_forbidden: 'Browser session belongs to another workspace',
  session_not_connected: 'Browser not connected',
  session_expired: 'Browser session expired. Pair the browser again.',
  pool_empty: 'No browser of this pool is connected.',
  pool_busy: 'All places of this pool are taken. With on_away "wait" the start waits for one.',
  profile_busy: 'Another task uses this profile, and will save it.',
  model_not_configured:
    'No language model is configured. Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, or LLM_PROVIDER=openai-compatible with LLM_BASE_URL and LLM_MODEL, and start the service again.',
  service_stopping: 'The service is shutting down.',
  workspace_failed: 'This workspace failed repeatedly and accepts no new tasks until the service is restarted.',
  store_away: 'The service cannot reach its database right now, or cannot write to it. Try again in a moment.',
  internal: 'Internal server error',
} as const
export type RefusalCode = keyof typeof REFUSALS

/** [O9] The sentence of a refusal, with the workspace's own limits. */
export function refusalText(
  code: RefusalCode,
  limits: Readonly<{ startsPerMinute: number; runningTasks: number; queuedTasks: number }>,
): string {
  if (code === 'rate_limited') return rateLimited(limits.startsPerMinute)
  if (code === 'too_many_running') return tooManyRunning(limits.runningTasks)
  return code === 'queue_full' ? queueFull(limits.queuedTasks) : REFUSALS[code]
}

/** Why the service is not healthy, as far as its actors know. */
export const HEALTH_REASONS = {
  starting: 'The service is starting and is still restoring its actors.',
  stopping: 'The service is shutting down.',
  alone: 'This node does not reach the other nodes (NATS).',
  unowned: (count: number) => `No node can read the rows of ${count} shards: start nodes of a newer version.`,
  damaged: (count: number) => `Damaged in the store, and set aside: ${count} (see the log). Restore a backup.`,
  notSaved: 'The store has refused every write for more than 5 s.',
  gaveUp: (kinds: readonly string[]) => `Gave up after repeated failures: ${[...new Set(kinds)].sort().join(', ')}.`,
} as const

// Answers of tasks that did not complete
export const ANSWERS = {
  noText: 'Task completed.',
  noFinish: 'The model ended without an answer.',
  budget: 'The budget of the task is used up.',
  noOutput: 'The model gave no output that fits the schema.',
  stepLimit: 'Task did not complete within the step limit.',
  journalFull: 'The task was ended because its record became too large.',
  noProgress: 'The task was ended because the same action was repeated without progress.',
  onlyFails: 'The task was ended because one call after the other failed.',
  timeLimit: 'Task exceeded the time limit of 30 minutes.',
  cancelled: 'Task was cancelled.',
  queueTimeout: 'Task was not started: it waited in the queue for its full time limit.',
  sweep: 'Task exceeded maximum duration (janitor cleanup).',
  restart: 'Task was interrupted by a server restart.',
  shutdown: 'Task interrupted by server shutdown.',
  signIn: {
    asked: 'Sign in on this page, then choose Done. Cookies and storage of the browser are saved in the profile then.',
    done: 'Signed in. The profile is being saved.',
    notDone: 'Nobody signed in. The profile is as it was.',
    notOpened: 'The page could not be opened. The profile is as it was.',
  },
  recipePlayed: (read: string) =>
    read === ''
      ? 'The recipe was played to its end.'
      : `The recipe was played to its end. The page then said:\n${read}`,
  recipeDeviated: ({ step, expected, found }: Deviation) =>
    `The recipe stopped at its step ${step}. Expected: ${expected}. Found: ${found}.`,
  modelFailed: (message: string) => `LLM call failed: ${message}`,
  crashed: (message: string) => `Agent loop crashed: ${message}`,
} as const

const LAST_CALLS = {
  budget: 'The budget of this task has room for this one reply.',
  steps: 'This is the last step of this task.',
  time: 'The time of this task is nearly over: this is its last step.',
} as const

// What the model reads in place of a result
export const TO_MODEL = {
  error: (message: string) => `Error: ${message}`,
  unknown:
    'Error: the outcome of this call is unknown: the connection was interrupted after it may have been executed. Look at the page before you repeat it.',
  noProgress:
    'Note: this is the same call with the same result several times in a row. You are making no progress: try something else, or answer with what you know.',
  failing:
    'Note: the last calls have all failed. Look at the page as it is now and try another way, or finish and say what does not work.',
  notRun: {
    failure: 'Not run: the call before it failed.',
    navigation: 'Not run: the page changed before it.',
    dialog: 'Not run: a dialog opened before it.',
    finish: 'Not run: the task is being finished.',
    message: 'Not run: the user has sent a message.',
    deadline: 'Not run: the time of this task is nearly over.',
  },
  script: {
    unavailable: 'Scripts cannot be run here. Use the other tools.',
    ended: (calls: number, isSaid: boolean) =>
      `The script ended after ${callsOf(calls)}. It returned ${isSaid ? 'what follows' : 'nothing'}; refs from before it may be gone.`,
    failed: (line: number | null, calls: number) =>
      `The script failed${line === null ? '' : ` in line ${line}`}, after ${callsOf(calls)}.`,
    stopped: (why: string, line: number | null, calls: number) =>
      `The script was stopped${line === null ? '' : ` in line ${line}`}, after ${callsOf(calls)}: ${why}`,
    noSuchTool: 'it asked for a tool that scripts do not have.',
    tooMany: `it may make ${SCRIPT_CALLS_MAX} calls.`,
    outOfTime: (seconds: number) => `its ${seconds} s are over.`,
    log: (text: string) => `Log:\n${text}`,
    halted: {
      failure: 'its last call was not approved, or nobody knows what came of it.',
      navigation: 'the page changed.',
      dialog: 'a dialog opened.',
      finish: 'the task is being finished.',
      message: 'the user has sent a message.',
      deadline: 'the time of this task is nearly over.',
    },
  },
  noted: (left: number) => `Noted. It stays whole in what you read; there is room for ${left} more characters.`,
  notesFull: (left: number) =>
    `Not noted: the notes of a task have ${NOTES_CHARS_MAX} characters, of which ${left} are left.`,
  noteOfScript: 'Noted by a script:',
  written: (name: string, bytes: number) =>
    `Made the file ${JSON.stringify(name)} (${bytes} bytes). It can be uploaded, and the user can fetch it.`,
  extract: {
    read: (pages: number, calls: number) =>
      `Read ${pages} ${pages === 1 ? 'page' : 'pages'} of text in ${calls} ${calls === 1 ? 'request' : 'requests'}.`,
    more: (pages: number) => `The text has ${pages} pages in all: read the rest yourself, or narrow it down.`,
    onePage: (pages: number) => `This was page 1 of ${pages}: with from "pages" all are read.`,
    ungrounded: (pointers: string) => `Not on the page as it stands there: ${pointers}. Check before you use it.`,
    misfit: (why: string) => `It does not fit the schema: ${why}.`,
    overBudget: 'Not done: what this task may cost has no room for it.',
  },
  checkAnswer: (unsourced: readonly string[]) =>
    `Before this counts, check it once. Your answer says ${unsourced.map((claim) => JSON.stringify(claim)).join(', ')}, and no page that you have read did. If you worked that out and it is right, and every point of the task is done, call finish again. Else go on working, or correct the answer.`,
  opened: (result: string) => `That address has been opened for you. What came of it:\n${result}`,
  stepsLeft: (left: number) => `Note: ${left} steps are left. Finish with what you have before they are used up.`,
  budgetWarned: 'Note: most of what this task may cost is used up. Come to an end soon, with what you have.',
  lastCall: (why: 'budget' | 'steps' | 'time') =>
    `${LAST_CALLS[why]} No other tool is run any more: call finish now, with success only if all of the task is done, and say what was found or done so far.`,
  useFinish:
    'Words alone do not end the task. When it is done, or cannot be done, call finish with your answer, and with the output if the task asks for one. Otherwise go on working.',
  continues:
    'The task above has ended, and its tabs were closed: open the pages that you need again. Refs from above are not valid any more. The user goes on with this task:',
  continuesAtPage:
    'The task above has ended, and its tabs were closed. Your tab begins at the address where it ended: look at the page before you act. What was typed there and not sent is gone, and refs from above are not valid any more. The user goes on with this task:',
  earlier: {
    task: (text: string) => `An earlier task, which has ended:\n${text}`,
    steps: (lines: readonly string[]) => `What was done, at the end:\n${lines.join('\n')}`,
    answer: (text: string | null) => (text === null ? 'It has no answer.' : `Its answer:\n${text}`),
    lastPage: (url: string) => `The page that it saw last: ${url}`,
    ownGone: 'Its secrets and files were its own, and are gone: you have only those that are given with the new task.',
    secret: '[a secret that is gone]',
    file: '[a file that is gone]',
  },
  /** [J9] What a recipe has done of the task before the model goes on; `content`: marked words of pages. */
  recipe: {
    done: (steps: string | null) =>
      steps === null
        ? 'A recipe of earlier runs was to carry out this task. It has done nothing yet.'
        : `A recipe of earlier runs has carried out this part of the task already, in your tab. Do not do it again:\n${steps}`,
    deviated: (expected: string, found: string) =>
      `Then the page was not what the recipe expected.\nExpected: ${expected}\nFound: ${found}\nLook at the page, find out why, and go on from there.`,
    ended: 'The recipe ends here. Look at the page, and do what is left of the task.',
    shown: (content: string) => `What the page showed last:\n${content}`,
    answer:
      'All of the task has been carried out, by a recipe of earlier runs: the list says how. What it read at the end is below. Call finish with the answer to the task, from what was read and nothing else; success only if that shows that the task is done.',
  },
  ended: 'The task has ended.',
  message: (text: string) => `Message from the user:\n${text}`,
  answered: (answer: string) => `The user answered: ${answer}`,
  tookOver: 'The user says that it is done. Look at the page again before you go on.',
  notAnswered: {
    decline: 'The user declined to answer. Go on without, or finish and say what is missing.',
    cancel: 'The user did not answer. Go on without, or finish and say what is missing.',
  },
  notApproved: {
    decline: 'Not approved: the user declined this action. Do not try it in another way.',
    cancel: 'Not approved: the user did not approve this action in time. Do not try it in another way.',
  },
  emptyOutput: '(no output)',
  notExecuted: 'Error: not executed, because the task was interrupted.',
  screenshotDropped: '[an older screenshot was removed]',
  screenshotsFull:
    'Note: the screenshot was left out, because the task has used up the space for its screenshots. Read the page as text instead.',
  outputShortened: '[older output shortened]',
  outputSuperseded: '[an older reading of this page was removed: a later one follows]',
  siteNotes: (domain: string, text: string) =>
    `Notes on ${domain} by those who run this service:\n<site_notes>\n${text}\n</site_notes>`,
  pageLost: (url: string | null) =>
    `Not run: the browser of this task is gone${url === null ? '' : `, and with it the page (${url})`}. The task goes on in another browser, with an empty tab: what was typed and not sent, sign-ins and refs are lost. Open the page again.`,
  beBrief: 'Your last reply was cut off at the output limit. Reply again, much shorter.',
} as const

/** Why a model gave no reply, where its endpoint said nothing of its own. */
export const MODEL_FAILURES = {
  unreachable: (reason: string) => `The model endpoint could not be reached (${reason}).`,
  status: (status: number) => `The model endpoint answered with status ${status}.`,
  page: (status: number) => `The model endpoint answered with a web page (status ${status}), not as a model does.`,
  redirected: (status: number, to: string) =>
    `The model endpoint redirects (status ${status})${to === '' ? '' : ` to ${to}`}. Set the address that answers.`,
  tooLarge: 'The answer of the model endpoint is too large.',
  unreadable: 'The answer of the model endpoint could not be read.',
  empty: 'The model gave an empty reply.',
  refused: 'The model declined to answer.',
  outputLimit: 'The model reached its output limit without an answer.',
  tooLong: 'The conversation does not fit into the model’s context window.',
} as const

/** Why the scripted provider gave no reply. Every one of its answers ends with `mark`. */
export const SCRIPTED = {
  mark: '(scripted)',
  noPart: 'The script has no part for this task. Add one, or configure a language model.',
  ended: 'The script ended without an answer.',
  unresolved: (what: string) => `The script stopped: ${what}.`,
} as const

// What a browser reads
export const TO_BROWSER = {
  invalidToken: 'Invalid session token',
  invalidTask: 'Invalid task',
  invalidUrl: 'Invalid url',
  invalidContext: 'Invalid context',
  invalidMessages: 'Invalid messages',
  modelTimedOut: 'The language model did not answer in time.',
  taskNotFound: 'Task not found',
  taskNotRunning: 'Task is not running',
  taskLeft: 'The task is not in this browser any more',
  taskRunning: 'The task is still running. Stop it first',
  inputAnswered: 'This input was answered already',
  inputNotFound: 'The task does not wait for this input',
  frameTooLong: 'The frame is too long: only the result of a pending call may have more than 64 KB',
  frameTooComplex: 'The frame is too complex: at most 100,000 values, nested at most 100 levels deep',
  invalidScreenshot: 'Invalid screenshot: expected the base64 of a JPEG of at most 2 MB',
  protocolTooOld: 'This requires relay protocol 2',
  tasksNotAllowed: 'This browser may not start tasks. The operator of the service can allow it.',
  publishableRate: 'Rate limit exceeded. Max 5 tasks per minute for browsers paired with a publishable key.',
  modelRate: 'Too many language model requests in a minute (60).',
  modelNotAllowed: 'This browser may not use the language model. The operator of the service can allow it.',
  secretsNotConfigured: 'Secrets cannot be kept: SECRETS_KEY is not set',
  filesFull: 'There is no room for more files. Delete tasks that are no longer needed.',
  fileNotFound: 'A file of this task was not found. Attach it again.',
  tooManyModelRequests: `Too many language model requests (${MODEL_REQUESTS_PER_SESSION_MAX}).`,
} as const
