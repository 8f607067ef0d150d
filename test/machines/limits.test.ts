import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as actorsLimits from '../../actors/limits.ts'
import {
  CONVERSATION_FULL_PERCENT,
  CONVERSATION_IMAGES_KEPT,
  CONVERSATION_IMAGES_MAX,
  CONVERSATION_REDUCED_PERCENT,
  TASK_DEADLINE_MS,
} from '../../actors/limits.ts'
import * as machinesLimits from '../../machines/limits.ts'
import {
  BROWSER_WAIT_MS,
  CALL_STALE_MS,
  DRAIN_MS_MAX,
  SAME_CALL_REFUSED,
  SAME_CALL_WARNED,
  SECOND_MS,
  SESSION_LINGER_MS,
  SILENCE_MS_MAX,
  STEPS_NOTED_PERCENT,
  STOP_MS_MAX,
  TASK_STUCK_MS,
  TOOL_TIMEOUT_MS_DEFAULT,
  TOOL_TIMEOUT_MS_NAVIGATE,
  TOOL_TIMEOUT_MS_WAIT,
} from '../../machines/limits.ts'
import * as billingLimits from '../../src/api/billing/limits.ts'
import * as httpLimits from '../../src/api/limits.ts'
import * as browsersLimits from '../../src/browser/limits.ts'
import {
  ACTION_LOAD_MS_MAX,
  ACTION_SETTLE_MS_MAX,
  PAGE_ANSWER_MS_MAX,
  PAGE_LOAD_MS_MAX,
  TARGET_READY_MS_MAX,
} from '../../src/browser/limits.ts'
import * as extensionLimits from '../../src/extension/limits.ts'
import * as accountsLimits from '../../src/identity/limits.ts'
import * as modelsLimits from '../../src/models/limits.ts'
import * as inspectorLimits from '../../src/observe/inspector/limits.ts'
import * as relayLimits from '../../src/relay/limits.ts'
import { PING_EVERY_MS } from '../../src/relay/limits.ts'
import * as storesLimits from '../../src/stores/limits.ts'
import {
  KEY_CACHE_MS_MAX,
  MONGODB_CALL_MS_MAX,
  MONGODB_LOOK_MS_MAX,
  MONGODB_SELECTION_MS_MAX,
  MONGODB_SOCKET_MS_MAX,
  STORE_OPEN_MS_MAX,
  STORE_RETRY_EVERY_MS,
} from '../../src/stores/limits.ts'
import { LEASE_MS, TRANSACTION_MS_MAX } from '../../src/stores/mongodb/limits.ts'
import * as wireLimits from '../../src/wire/limits.ts'
import { COMPUTER_WAIT_MS_MAX } from '../../src/wire/limits.ts'

const test = suite('limits')
const numbers = {
  ...machinesLimits,
  ...actorsLimits,
  ...accountsLimits,
  ...billingLimits,
  ...browsersLimits,
  ...extensionLimits,
  ...httpLimits,
  ...inspectorLimits,
  ...modelsLimits,
  ...relayLimits,
  ...storesLimits,
  ...wireLimits,
}

/** What must hold between the numbers: [left, right, why left < right]. */
const RELATIONS: readonly (readonly [left: number, right: number, why: string])[] = [
  [COMPUTER_WAIT_MS_MAX, TOOL_TIMEOUT_MS_WAIT, 'the longest wait must fit its time-out'],
  [TOOL_TIMEOUT_MS_WAIT, CALL_STALE_MS, 'the sweep must find only calls that their own time-out missed'],
  [TASK_DEADLINE_MS, TASK_STUCK_MS, 'the sweep must find only tasks that their own deadline missed'],
  [PING_EVERY_MS, SILENCE_MS_MAX, 'a browser must hear a ping before its silence counts'],
  [CONVERSATION_IMAGES_KEPT, CONVERSATION_IMAGES_MAX, 'a batch of screenshots must remove some'],
  [CONVERSATION_REDUCED_PERCENT, CONVERSATION_FULL_PERCENT, 'a batch of outputs must make room for more'],
  [SAME_CALL_WARNED, SAME_CALL_REFUSED, 'the model is warned before the loop is ended'],
  [STEPS_NOTED_PERCENT, 100, 'the model must have steps left when it is told how many'],
  [DRAIN_MS_MAX, STOP_MS_MAX, 'draining must leave time to flush and close'],
  [BROWSER_WAIT_MS, SESSION_LINGER_MS, 'a session must outlive the tasks that wait for it'],
  [
    PAGE_LOAD_MS_MAX + ACTION_SETTLE_MS_MAX,
    PAGE_ANSWER_MS_MAX,
    'a page that never finishes loading is told within the call',
  ],
  [PAGE_ANSWER_MS_MAX, TOOL_TIMEOUT_MS_NAVIGATE, 'a page that never answers is told before the call times out'],
  [PAGE_ANSWER_MS_MAX, TOOL_TIMEOUT_MS_DEFAULT, 'a script that hangs is told before the call times out'],
  [
    TARGET_READY_MS_MAX + ACTION_LOAD_MS_MAX + ACTION_SETTLE_MS_MAX,
    PAGE_ANSWER_MS_MAX,
    'a page loaded by a click is waited for within the call',
  ],
  [KEY_CACHE_MS_MAX, 1 * SECOND_MS, 'a revoked key must be refused within a second'],
  [MONGODB_SELECTION_MS_MAX, MONGODB_LOOK_MS_MAX, 'a look at the server ends by itself, or never'],
  [MONGODB_SELECTION_MS_MAX + MONGODB_SOCKET_MS_MAX, MONGODB_CALL_MS_MAX, 'the driver gives up before it is given up'],
  [TRANSACTION_MS_MAX, LEASE_MS, 'a transaction is over before another process may own the store'],
  [STORE_RETRY_EVERY_MS + MONGODB_SELECTION_MS_MAX, STORE_OPEN_MS_MAX, 'a store that is down at start is tried again'],
  [PING_EVERY_MS, 30 * SECOND_MS, 'an extension worker sleeps after 30 s without a frame'],
]

for (const [left, right, why] of RELATIONS) test(`${left} < ${right}: ${why}`, () => assert.ok(left < right))

test('every number is positive and whole', () => {
  for (const [name, value] of Object.entries(numbers)) assert.ok(Number.isSafeInteger(value) && value > 0, name)
})

/** The numbers of the spec, written a second time on purpose. */
const SPEC: Partial<Record<keyof typeof numbers, number>> = {
  TASK_CHARS_MAX: 10_000,
  CONTEXT_CHARS_MAX: 50_000,
  URL_CHARS_MAX: 2_048,
  WEBHOOK_URL_CHARS_MAX: 2_048,
  BODY_BYTES_MAX: 131_072,
  PREFLIGHT_CACHE_S: 86_400,
  LABEL_CHARS_MAX: 200,
  PAGE_SIZE_DEFAULT: 50,
  PAGE_SIZE_MAX: 100,
  STARTS_PER_WINDOW_MAX: 10,
  START_WINDOW_MS: 60_000,
  RUNNING_TASKS_MAX: 5,
  FREE_TASKS_PER_MONTH: 20,
  PAYMENT_TOLERANCE_S: 300,
  STEPS_MAX: 50,
  TASK_DEADLINE_MS: 1_800_000,
  TASK_STUCK_MS: 2_100_000,
  TASK_SWEEP_EVERY_MS: 300_000,
  BROWSER_WAIT_MS: 15_000,
  SAME_CALL_WARNED: 3,
  SAME_CALL_REFUSED: 6,
  TOOL_TIMEOUT_MS_DEFAULT: 15_000,
  TOOL_TIMEOUT_MS_NAVIGATE: 30_000,
  TOOL_TIMEOUT_MS_WAIT: 35_000,
  CALL_STALE_MS: 70_000,
  CALL_SWEEP_EVERY_MS: 30_000,
  CALLS_REMEMBERED_MAX: 100,
  MODEL_ATTEMPTS_MAX: 3,
  MODEL_ATTEMPT_MS_MAX: 120_000,
  CONVERSATION_IMAGES_MAX: 6,
  CONVERSATION_IMAGES_KEPT: 2,
  CONVERSATION_FULL_PERCENT: 60,
  CONVERSATION_REDUCED_PERCENT: 30,
  CONVERSATION_TURNS_WHOLE: 5,
  FINAL_WRITE_ATTEMPTS_MAX: 2,
  FINAL_WRITE_PAUSE_MS: 1_000,
  WEBHOOK_TIMEOUT_MS: 10_000,
  OUTPUT_CHARS_MAX: 50_000,
  SCREENSHOT_SIDE_PX_MAX: 1_280,
  PAIRING_TOKEN_MS: 300_000,
  SESSION_TOKEN_MS: 2_592_000_000,
  REGISTER_MS_MAX: 10_000,
  REGISTER_BYTES_MAX: 8_192,
  PING_EVERY_MS: 20_000,
  SILENCE_MS_MAX: 45_000,
  FRAME_BYTES_MAX: 16_777_216,
  FRAMES_PER_SECOND_MAX: 100,
  UNPARSEABLE_FRAMES_MAX: 3,
  MODEL_REQUESTS_PER_SESSION_MAX: 10,
  RESTARTS_MAX: 3,
  RESTART_WINDOW_MS: 60_000,
  STOP_MS_MAX: 10_000,
  ANSWERS_MS_MAX: 1_000,
}
for (const [name, value] of Object.entries(SPEC))
  test(`${name} is what the spec says`, () => assert.is(numbers[name as keyof typeof numbers], value))

test.run()
