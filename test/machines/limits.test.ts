import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as limits from '../../machines/limits.ts'
import { RELATIONS } from '../../machines/relations.ts'

const test = suite('limits')
const numbers = { ...limits }

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
}
for (const [name, value] of Object.entries(SPEC))
  test(`${name} is what the spec says`, () => assert.is(numbers[name as keyof typeof numbers], value))

test.run()
