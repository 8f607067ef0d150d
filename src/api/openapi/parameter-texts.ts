import { AT, CURSOR, KEY, SESSION, TASK } from './example-values.ts'

import type { FieldTexts } from './field-texts.ts'
import { FILE_PARAMETER_TEXTS, FILE_PATH_TEXTS } from './file-texts.ts'

/** Parameters of queries, by name, or by `operationId.name` where an operation means something of its own. */
export const PARAMETER_TEXTS: FieldTexts = {
  ...FILE_PARAMETER_TEXTS,
  limit: ['How many a page holds at most.', 50],
  cursor: ['The `next_cursor` of the page before.', CURSOR],
  'listTaskSteps.cursor': ['The `next_cursor` of the page before.', '50'],
  'listTaskFiles.cursor': ['The `next_cursor` of the page before.', '50'],
  'listBrowserFiles.cursor': ['The `next_cursor` of the page before.', '50'],
  status: ['Only tasks with this status.', 'running'],
  state: ['Only running tasks in this state.', 'waitingForInput'],
  'listBrowserSessions.status': ['Only browsers with this status.', 'connected'],
  browser_session_id: ['Only tasks of this browser.', SESSION],
  ended_by: ['Only tasks that ended so.', 'completed'],
  created_after: ['Only tasks created later than this, in milliseconds since 1970.', AT],
  created_before: ['Only tasks created earlier than this, in milliseconds since 1970.', AT],
  metadata: ['Only tasks with these values: `metadata[order]=4711`.', { order: '4711' }],
  q: ['Only tasks whose text or answer contains this; upper and lower case are the same.', 'green tea'],
  'createTask.wait_s': ['Seconds to wait at most until the task has ended or needs input; 0: not at all.', 0],
  wait_s: ['Seconds to wait at most until the task has ended or needs input.', 30],
  after: ['The number of an event, a `next_cursor`, or `now`.', '17'],
  types: ['Only events of these types, separated by commas.', 'task.state,task.ended'],
  token: ['A read token of this task, in place of a key.', 'svc_read_5f0c1a2b'],
  live: [
    'Also the words of each reply while it comes, as events `model.words` without a number. Streams only.',
    'true',
  ],
  task_id: ['Only what tells of this task.', TASK],
  action: ['Only what has this name, such as `createApiKey` or `signIn`.', 'createApiKey'],
  key_id: ['Only what was done by this key.', KEY],
  from: ['At this moment or later, in milliseconds since 1970.', AT],
  to: ['Before this moment, in milliseconds since 1970.', AT],
  since: ['From this moment on, in milliseconds since 1970.', AT],
  format: ['In place of `Accept`.', 'playwright'],
  group_by: [
    'What `groups` are told apart by: `day`, `model`, `key`, `outcome`, or several of them with commas between.',
    'day,model',
  ],
  'getTask.since': ['The `seq` of the last answer: with it the request waits for what comes after that.', 12],
}

/** Segments of paths. */
export const PATH_TEXTS: FieldTexts = {
  ...FILE_PATH_TEXTS,
  id: ['The id.', TASK],
  request_id: ['The id of the input_request.', '7d0f9f3e-6a0e-4a52-8f4f-6f5d1a2b3c4d'],
  step: ['Number of the step, from 1.', '4'],
  picture: ['The number of a `picture.taken`.', '7'],
  token: ['The token of the link: `svc_share_` and 64 hexadecimal digits.', `svc_share_${'5f0c1a2b'.repeat(8)}`],
}
