import {
  APP,
  DELIVERY,
  ENDPOINT,
  FILE,
  INVITATION,
  KEY,
  MEMBER,
  RECIPE,
  REQUEST,
  SESSION,
  SHARE_TOKEN,
  TASK,
} from '../../wire/example-values.ts'

/** The example of an operation: one request, written by hand in each language, and what its answer has of its own. */
export interface Example {
  /** Whose credentials it has beside `key`: a signed-in person's cookie, a browser's session token, or none. */
  readonly as?: 'person' | 'browser' | 'anyone'
  readonly query?: string
  /** JSON, or the name of the file whose bytes are sent. */
  readonly body?: object | string
  /** Options of curl beside those that the request needs. */
  readonly curl?: readonly string[]
  /** The call of the SDK with a `client`; left out: what the operation is for sends no such call. */
  readonly typescript?: string
  readonly python?: string
  /** In place of what the document shows of a JSON answer; `undefined` leaves a field out. */
  readonly answer?: Readonly<Record<string, unknown>>
  /** The answer of a stream. */
  readonly stream?: string
}

const RUNNING = {
  status: 'running',
  state: 'thinking',
  answer: null,
  output: null,
  success: null,
  completed_at: null,
  failure: null,
  ended_by: null,
  queue: undefined,
  input_request: null,
  paused_by: undefined,
  continue_task_id: undefined,
  recipe: undefined,
  rerun_of: undefined,
  continues: undefined,
  turns: null,
  output_sources: undefined,
  ungrounded: undefined,
}
const STARTED = {
  ...RUNNING,
  steps: 0,
  usage: { inputTokens: 0, outputTokens: 0, apiCalls: 0 },
  cost_usd: 0,
  seq: 1,
}
const COMPLETE = {
  ...RUNNING,
  status: 'complete',
  state: 'closed',
  answer: 'Green tea, 100 g, is in the basket.',
  success: true,
  completed_at: 1_795_176_041_000,
  ended_by: 'completed',
  seq: 23,
}
const SUMMARY = {
  id: TASK,
  status: 'complete',
  task: 'Find the cheapest green tea and put it into the basket',
  url: 'https://shop.example/',
  answer: 'Green tea, 100 g, is in the basket.',
  output: null,
  success: true,
  steps: 4,
  usage: { inputTokens: 5_210, outputTokens: 312, apiCalls: 4 },
  cost_usd: 0.0124,
  browser_session_id: SESSION,
  created_at: 1_795_176_000_000,
  completed_at: 1_795_176_041_000,
  state: 'closed',
  failure: null,
  ended_by: 'completed',
  deadline_at: 1_795_177_800_000,
  metadata: { order: '4711' },
  input_request: null,
  seq: 23,
}
const ENABLED = { disabled_reason: null, disabled_at: null, failing_since: null }
const DELIVERED = {
  next_attempt_at: null,
  attempts: [{ at: 1_795_176_041_000, duration_ms: 84, status: 200, answer: 'ok' }],
}
const TEST_DELIVERY = { type: 'webhook.test', task_id: null, status: 'pending', attempts: [] }

export const EXAMPLES: Readonly<Record<string, Example>> = {
  getHealth: {
    as: 'anyone',
    typescript: 'const health = await client.health()\nconsole.log(health.status, health.version)',
    python: 'health = client.health()\nprint(health.status, health.version)',
    answer: { reason: undefined, cluster: undefined },
  },
  debugCookies: {
    as: 'anyone',
    curl: ['--cookie "theme=dark"'],
  },
  getMe: {
    typescript: 'const { workspace } = await client.me()\nconsole.log(workspace.name)',
    python: 'me = client.me()\nprint(me.workspace["name"])',
    answer: { user: null },
  },

  createPairing: {
    body: { label: 'Ann’s laptop' },
    typescript:
      "const pairing = await client.browsers.pair({ label: 'Ann’s laptop' })\nconsole.log(pairing.pairing_url)",
    python: 'pairing = client.browsers.pair(label="Ann’s laptop")\nprint(pairing.pairing_url)',
  },
  getPairing: { as: 'anyone', body: { pairing_token: 'svc_pair_5f0c1a2b' } },
  registerBrowser: {
    as: 'anyone',
    body: { pairing_token: 'svc_pair_5f0c1a2b' },
    answer: { pool: undefined },
  },
  listBrowserSessions: {
    query: 'status=connected',
    typescript:
      "for await (const browser of client.browsers.list({ status: 'connected' })) {\n  console.log(browser.id, browser.label)\n}",
    python: 'for browser in client.browsers.list(status="connected"):\n    print(browser.id, browser.label)',
    answer: { next_cursor: null },
  },
  updateBrowserSession: {
    body: { allow_tasks: true },
    typescript: `await client.browsers.allowTasks('${SESSION}', true)`,
    python: `client.browsers.allow_tasks("${SESSION}", True)`,
  },
  deleteBrowserSession: {
    typescript: `await client.browsers.remove('${SESSION}')`,
    python: `client.browsers.remove("${SESSION}")`,
  },

  createTask: {
    body: {
      task: 'Find the cheapest green tea and put it into the basket',
      browser_session_id: SESSION,
      url: 'https://shop.example/',
    },
    typescript: `const task = await client.tasks.create({
  task: 'Find the cheapest green tea and put it into the basket',
  browser_session_id: '${SESSION}',
  url: 'https://shop.example/',
})
console.log(task.id, task.state)`,
    python: `task = client.tasks.create(
    task="Find the cheapest green tea and put it into the basket",
    browser_session_id="${SESSION}",
    url="https://shop.example/",
)
print(task.id, task.state)`,
    answer: STARTED,
  },
  listTasks: {
    query: 'status=complete&metadata[order]=4711',
    curl: ['--globoff'],
    typescript: `const tasks = client.tasks.list({
  status: 'complete',
  metadata: { order: '4711' },
})
for await (const task of tasks) console.log(task.id, task.answer)`,
    python: `tasks = client.tasks.list(status="complete", metadata={"order": "4711"})
for task in tasks:
    print(task.id, task.answer)`,
    answer: { data: [SUMMARY], next_cursor: null },
  },
  rerunTask: {
    body: { inputs: { goods: 'black tea' } },
    typescript: `const task = await client.tasks.rerun('${TASK}', {
  inputs: { goods: 'black tea' },
})
console.log(task.id)`,
    python: `task = client.tasks.rerun(
    "${TASK}", inputs={"goods": "black tea"}
)
print(task.id)`,
    answer: {
      ...STARTED,
      id: '0192f1c9-1d4e-7a20-8b3f-6e5d4c3b2a19',
      task: 'Find the cheapest black tea and put it into the basket',
      rerun_of: TASK,
    },
  },
  pauseTask: {
    body: {},
    typescript: `const task = await client.tasks.pause('${TASK}')\nconsole.log(task.state)`,
    python: `task = client.tasks.pause("${TASK}")\nprint(task.state)`,
    answer: { ...RUNNING, state: 'paused', paused_by: ['client'], seq: 12 },
  },
  resumeTask: {
    body: {},
    typescript: `const task = await client.tasks.resume('${TASK}')\nconsole.log(task.state)`,
    python: `task = client.tasks.resume("${TASK}")\nprint(task.state)`,
    answer: { ...RUNNING, seq: 14 },
  },
  sendMessage: {
    body: { text: 'Take the larger pack instead.', interrupt: false },
    typescript: `await client.tasks.message(
  '${TASK}',
  'Take the larger pack instead.',
)`,
    python: `client.tasks.message(
    "${TASK}",
    "Take the larger pack instead.",
)`,
  },
  answerInput: {
    body: { action: 'accept', content: 'The blue one' },
    typescript: `await client.tasks.answer(
  '${TASK}',
  '${REQUEST}',
  { action: 'accept', content: 'The blue one' },
)`,
    python: `client.tasks.answer(
    "${TASK}",
    "${REQUEST}",
    {"action": "accept", "content": "The blue one"},
)`,
  },
  getTask: {
    typescript: `const task = await client.tasks.get('${TASK}')\nconsole.log(task.status, task.answer)`,
    python: `task = client.tasks.get("${TASK}")\nprint(task.status, task.answer)`,
    answer: COMPLETE,
  },
  deleteTask: {
    typescript: `await client.tasks.delete('${TASK}')`,
    python: `client.tasks.delete("${TASK}")`,
  },
  cancelTask: {
    body: {},
    typescript: `const task = await client.tasks.cancel('${TASK}')\nconsole.log(task.ended_by)`,
    python: `task = client.tasks.cancel("${TASK}")\nprint(task.ended_by)`,
    answer: {
      ...COMPLETE,
      status: 'error',
      answer: 'The task was cancelled.',
      success: false,
      failure: 'aborted',
      ended_by: 'cancelled',
    },
  },
  listTaskSteps: {
    query: 'limit=200',
    typescript: `for await (const step of client.tasks.steps('${TASK}')) {
  console.log(step.step, step.tool_name, step.output)
}`,
    python: `for step in client.tasks.steps("${TASK}"):
    print(step.step, step.tool_name, step.output)`,
    answer: { next_cursor: null },
  },
  getTaskScreenshot: {
    curl: ['--output screenshot.jpg'],
    typescript: `const image = await client.tasks.screenshot('${TASK}', 4)\nconsole.log(image?.size)`,
    python: `image = client.tasks.screenshot("${TASK}", 4)\nprint(None if image is None else len(image))`,
  },
  getTaskPicture: {
    curl: ['--output picture.jpg'],
    typescript: `const image = await client.tasks.picture('${TASK}', 7)\nconsole.log(image?.size)`,
    python: `image = client.tasks.picture("${TASK}", 7)\nprint(None if image is None else len(image))`,
  },
  watchTask: {
    curl: ['--no-buffer', '-H "Accept: text/event-stream"'],
    typescript: `for await (const picture of client.tasks.live('${TASK}')) {
  console.log(picture.at, picture.jpeg.length)
}`,
    python: `for picture in client.tasks.live("${TASK}"):
    print(picture.at, len(picture.jpeg))`,
    stream: 'event: frame\ndata: {"at":1795176000000,"jpeg":"/9j/4AAQ…"}\n\n',
  },
  sendLiveInput: {
    body: { events: [{ type: 'key', key: 'Enter' }] },
    typescript: `await client.tasks.input('${TASK}', [
  { type: 'key', key: 'Enter' },
])`,
    python: `client.request(
    "POST",
    "/v1/tasks/${TASK}/live/input",
    body={"events": [{"type": "key", "key": "Enter"}]},
)`,
  },
  shareTask: {
    body: { expires_in_s: 604_800 },
    typescript: `const share = await client.tasks.share(
  '${TASK}',
  { expires_in_s: 604_800 },
)
console.log(share.url)`,
    python: `share = client.tasks.share(
    "${TASK}", expires_in_s=604_800
)
print(share.url)`,
  },
  getShare: {
    typescript: `const share = await client.request('GET /v1/tasks/{id}/share', {
  path: { id: '${TASK}' },
})
console.log(share.expires_at)`,
    python: `share = client.request(
    "GET", "/v1/tasks/${TASK}/share"
)
print(share["expires_at"])`,
  },
  deleteShare: {
    typescript: `await client.tasks.unshare('${TASK}')`,
    python: `client.tasks.unshare("${TASK}")`,
  },
  getSharedResult: {
    as: 'anyone',
    typescript: `const result = await client.request('GET /v1/shared/{token}', {
  path: { token: '${SHARE_TOKEN}' },
})
console.log(result.answer)`,
    python: `token = "${SHARE_TOKEN}"
result = client.request("GET", f"/v1/shared/{token}")
print(result["answer"])`,
    answer: { output: null },
  },

  listTaskEvents: {
    query: 'after=0',
    curl: ['--no-buffer', '-H "Accept: text/event-stream"'],
    typescript: `for await (const event of client.tasks.events('${TASK}')) {
  console.log(event.seq, event.type)
}`,
    python: `for event in client.tasks.events("${TASK}"):
    print(event.seq, event.type)`,
    stream: `id: 1
event: task.created
data: {"id":"msg_${TASK}_1","seq":1,"at":1795176000000,"task_id":"${TASK}","type":"task.created","task":"Find the cheapest green tea","url":null,"browser_session_id":"${SESSION}"}

`,
  },
  listEvents: {
    query: 'after=1795370400012000',
    curl: ['--no-buffer', '-H "Accept: text/event-stream"'],
    typescript: `const events = client.events({ after: 1795370400012000 })
for await (const event of events) {
  console.log(event.cursor, event.task_id, event.type)
}`,
    python: `for event in client.events(after=1795370400012000):
    print(event.cursor, event.task_id, event.type)`,
    stream: `id: 1795370400013000
event: task.created
data: {"id":"msg_${TASK}_1","seq":1,"at":1795176000000,"task_id":"${TASK}","cursor":1795370400013000,"type":"task.created","task":"Find the cheapest green tea","url":null,"browser_session_id":"${SESSION}"}

`,
  },
  createReadToken: {
    body: {},
    typescript: `const { token } = await client.tasks.token('${TASK}')\nconsole.log(token)`,
    python: `read = client.tasks.token("${TASK}")\nprint(read.token)`,
  },

  uploadFile: {
    query: 'name=contract.pdf',
    body: 'contract.pdf',
    typescript: `import { readFile } from 'node:fs/promises'

const file = await client.files.upload(
  'contract.pdf',
  await readFile('contract.pdf'),
)
console.log(file.id)`,
    python: `file = client.upload(
    "contract.pdf", open("contract.pdf", "rb").read()
)
print(file.id)`,
  },
  listTaskFiles: {
    typescript: `for await (const file of client.tasks.files('${TASK}')) {
  console.log(file.id, file.name, file.size)
}`,
    python: `for file in client.tasks.files("${TASK}"):
    print(file.id, file.name, file.size)`,
    answer: { next_cursor: null },
  },
  getTaskFile: {
    curl: ['--output invoice.pdf'],
    typescript: `const file = await client.tasks.file(
  '${TASK}',
  '${FILE}',
)
console.log(file?.size)`,
    python: `content = client.tasks.file(
    "${TASK}",
    "${FILE}",
)
print(None if content is None else len(content))`,
  },
  uploadBrowserFile: { as: 'browser', query: 'name=contract.pdf', body: 'contract.pdf' },
  listBrowserFiles: { as: 'browser', answer: { next_cursor: null } },
  getBrowserFile: { as: 'browser', curl: ['--output contract.pdf'] },
  keepBrowserFile: { as: 'browser', query: 'name=invoice.pdf', body: 'invoice.pdf' },

  createApiKey: {
    body: { name: 'backend', type: 'secret' },
    typescript: `const { id, key } = await client.keys.create({
  name: 'backend',
  type: 'secret',
})
console.log(id, key)`,
    python: 'created = client.keys.create(name="backend", type="secret")\nprint(created.id, created.key)',
  },
  listApiKeys: {
    typescript: 'for (const key of await client.keys.list()) {\n  console.log(key.id, key.name, key.key_prefix)\n}',
    python: 'for key in client.keys.list():\n    print(key.id, key.name, key.key_prefix)',
    answer: { next_cursor: null },
  },
  deleteApiKey: {
    typescript: `await client.keys.delete('${KEY}')`,
    python: `client.keys.delete("${KEY}")`,
  },

  listMembers: {
    as: 'person',
    typescript: 'for (const member of await client.members.list()) {\n  console.log(member.name, member.role)\n}',
    python: 'for member in client.members.list():\n    print(member.name, member.role)',
    answer: { next_cursor: null },
  },
  setMemberRole: {
    as: 'person',
    body: { role: 'member' },
    typescript: `await client.members.setRole('${MEMBER}', 'member')`,
    python: `client.members.set_role("${MEMBER}", "member")`,
  },
  removeMember: {
    as: 'person',
    typescript: `await client.members.remove('${MEMBER}')`,
    python: `client.members.remove("${MEMBER}")`,
  },
  listInvitations: {
    as: 'person',
    typescript: 'for (const invitation of await client.members.invitations()) {\n  console.log(invitation.email)\n}',
    python: 'for invitation in client.members.invitations():\n    print(invitation.email)',
    answer: { next_cursor: null },
  },
  inviteMember: {
    as: 'person',
    body: { email: 'bob@example.com', role: 'member' },
    typescript: `const invitation = await client.members.invite({
  email: 'bob@example.com',
  role: 'member',
})
console.log(invitation.invitation_url)`,
    python: `invitation = client.members.invite(
    email="bob@example.com", role="member"
)
print(invitation.invitation_url)`,
    answer: { email: 'bob@example.com' },
  },
  revokeInvitation: {
    as: 'person',
    typescript: `await client.members.revokeInvitation(
  '${INVITATION}',
)`,
    python: `client.members.revoke_invitation(
    "${INVITATION}"
)`,
  },
  joinWorkspace: {
    as: 'person',
    body: { token: `svc_inv_${'0'.repeat(64)}` },
    typescript: `const { name, role } = await client.account.join(
  'svc_inv_${'0'.repeat(64)}',
)
console.log(name, role)`,
    python: `joined = client.request(
    "POST",
    "/v1/invitations/accept",
    body={"token": "svc_inv_${'0'.repeat(64)}"},
)
print(joined["name"], joined["role"])`,
  },
  claimWorkspace: {
    as: 'person',
    body: { key: `svc_live_${'0'.repeat(48)}` },
    typescript: `const workspace = await client.account.claim({
  key: 'svc_live_${'0'.repeat(48)}',
})
console.log(workspace.name)`,
    python: `workspace = client.request(
    "POST",
    "/v1/workspaces/claim",
    body={"key": "svc_live_${'0'.repeat(48)}"},
)
print(workspace["name"])`,
    answer: { role: 'owner' },
  },
  changePassword: {
    as: 'person',
    body: { current_password: 'correct horse battery', new_password: 'another battery staple' },
    typescript: `await client.account.changePassword({
  current_password: 'correct horse battery',
  new_password: 'another battery staple',
})`,
    python: `client.request(
    "POST",
    "/v1/account/password",
    body={
        "current_password": "correct horse battery",
        "new_password": "another battery staple",
    },
)`,
  },
  getNotifications: {
    as: 'person',
    typescript: 'const { email } = await client.account.notifications()\nconsole.log(email)',
    python: 'settings = client.request("GET", "/v1/account/notifications")\nprint(settings["email"])',
  },
  setNotifications: {
    as: 'person',
    body: { email: true },
    typescript: 'await client.account.setNotifications({ email: true })',
    python: 'client.request(\n    "PATCH", "/v1/account/notifications", body={"email": True}\n)',
  },
  listConnectedApps: {
    typescript: 'for (const app of await client.account.apps()) {\n  console.log(app.id, app.name)\n}',
    python:
      'apps = client.request("GET", "/v1/connected-apps")["data"]\nfor app in apps:\n    print(app["id"], app["name"])',
    answer: { next_cursor: null },
  },
  disconnectApp: {
    typescript: `await client.account.disconnectApp('${APP}')`,
    python: `client.request(
    "DELETE", "/v1/connected-apps/${APP}"
)`,
  },

  createWebhookEndpoint: {
    body: { url: 'https://example.com/hooks/browser-tasks', types: ['task.ended'] },
    typescript: `const endpoint = await client.webhooks.create({
  url: 'https://example.com/hooks/browser-tasks',
  types: ['task.ended'],
})
console.log(endpoint.id, endpoint.secret)`,
    python: `endpoint = client.webhooks.create(
    url="https://example.com/hooks/browser-tasks",
    types=["task.ended"],
)
print(endpoint.id, endpoint.secret)`,
    answer: ENABLED,
  },
  listWebhookEndpoints: {
    typescript: 'for (const endpoint of await client.webhooks.list()) {\n  console.log(endpoint.id, endpoint.url)\n}',
    python: 'for endpoint in client.webhooks.list():\n    print(endpoint.id, endpoint.url)',
    answer: { next_cursor: null },
  },
  getWebhookEndpoint: {
    typescript: `const endpoint = await client.webhooks.get('${ENDPOINT}')\nconsole.log(endpoint.url, endpoint.disabled)`,
    python: `endpoint = client.webhooks.get("${ENDPOINT}")\nprint(endpoint.url, endpoint.disabled)`,
    answer: ENABLED,
  },
  updateWebhookEndpoint: {
    body: { types: ['task.ended', 'input.requested'] },
    typescript: `await client.webhooks.update('${ENDPOINT}', {
  types: ['task.ended', 'input.requested'],
})`,
    python: `client.webhooks.update(
    "${ENDPOINT}",
    types=["task.ended", "input.requested"],
)`,
    answer: { ...ENABLED, types: ['task.ended', 'input.requested'] },
  },
  deleteWebhookEndpoint: {
    typescript: `await client.webhooks.delete('${ENDPOINT}')`,
    python: `client.webhooks.delete("${ENDPOINT}")`,
  },
  rotateWebhookSecret: {
    body: {},
    typescript: `const { secret } = await client.webhooks.rotate(\n  '${ENDPOINT}',\n)\nconsole.log(secret)`,
    python: `endpoint = client.webhooks.rotate(\n    "${ENDPOINT}"\n)\nprint(endpoint.secret)`,
    answer: ENABLED,
  },
  testWebhookEndpoint: {
    body: {},
    typescript: `const delivery = await client.webhooks.test(\n  '${ENDPOINT}',\n)\nconsole.log(delivery.id)`,
    python: `delivery = client.webhooks.test("${ENDPOINT}")\nprint(delivery.id)`,
    answer: TEST_DELIVERY,
  },
  listWebhookDeliveries: {
    query: 'status=failed',
    typescript: `const deliveries = client.webhooks.deliveries(
  '${ENDPOINT}',
  { status: 'failed' },
)
for await (const delivery of deliveries) {
  console.log(delivery.id, delivery.type)
}`,
    python: `deliveries = client.webhooks.deliveries(
    "${ENDPOINT}", status="failed"
)
for delivery in deliveries:
    print(delivery.id, delivery.type)`,
    answer: { next_cursor: null },
  },
  recoverWebhookDeliveries: {
    body: { since: 1_795_176_000_000 },
    typescript: `const { recovered } = await client.webhooks.recover(
  '${ENDPOINT}',
  Date.parse('2026-11-20T12:00:00Z'),
)
console.log(recovered)`,
    python: `result = client.webhooks.recover(
    "${ENDPOINT}", since=1_795_176_000_000
)
print(result.recovered)`,
  },
  getWebhookDelivery: {
    typescript: `const delivery = await client.webhooks.delivery(
  '${DELIVERY}',
)
console.log(delivery.status, delivery.attempts.length)`,
    python: `delivery = client.webhooks.delivery(
    "${DELIVERY}"
)
print(delivery.status, len(delivery.attempts))`,
    answer: DELIVERED,
  },
  redeliverWebhook: {
    body: {},
    typescript: `const delivery = await client.webhooks.redeliver(
  '${DELIVERY}',
)
console.log(delivery.status)`,
    python: `delivery = client.webhooks.redeliver(
    "${DELIVERY}"
)
print(delivery.status)`,
    answer: { status: 'pending' },
  },

  getUsage: {
    query: 'since=1795176000000&group_by=day,model',
    typescript: `const usage = await client.usage.get({
  since: 1795176000000,
  group_by: 'day,model',
})
console.log(usage.taskCount, usage.totalCostUsd)`,
    python: `usage = client.usage(
    since=1795176000000, group_by="day,model"
)
print(usage.taskCount, usage.totalCostUsd)`,
    answer: {
      unpricedModels: undefined,
      groups: [
        {
          day: '2026-11-20',
          model: 'claude-sonnet-4-5',
          tasks: 21,
          api_calls: 90,
          input_tokens: 120_000,
          cached_tokens: 80_000,
          output_tokens: 8_000,
          cost_usd: 0.48,
        },
      ],
    },
  },
  getLimits: {
    typescript:
      'const limits = await client.limits.get()\nconsole.log(limits.running_tasks, limits.used.running_tasks)',
    python: 'limits = client.limits()\nprint(limits.running_tasks)',
  },
  updateLimits: {
    body: { running_tasks: 3, max_cost_usd_default: 0.5 },
    typescript: `const limits = await client.limits.update({
  running_tasks: 3,
  max_cost_usd_default: 0.5,
})
console.log(limits.running_tasks)`,
    python: `limits = client.update_limits(
    running_tasks=3, max_cost_usd_default=0.5
)
print(limits.running_tasks)`,
    answer: { running_tasks: 3, max_cost_usd_default: 0.5 },
  },
  getCredits: {
    typescript: 'const credits = await client.usage.credits()\nconsole.log(credits.free_remaining)',
    python: 'credits = client.credits()\nprint(credits.free_remaining)',
  },
  receivePaymentEvent: {
    as: 'anyone',
    body: { id: 'evt_1', type: 'checkout.session.completed' },
    curl: ['-H "payment-signature: t=1795176000,v1=$SIGNATURE"'],
  },

  listAuditEntries: {
    query: 'action=createApiKey',
    typescript: `for await (const entry of client.audit.list({ action: 'createApiKey' })) {
  console.log(entry.at, entry.actor.name)
}`,
    python: `for entry in client.audit(action="createApiKey"):
    print(entry.at, entry.actor.name)`,
    answer: { next_cursor: null },
  },

  listRecipes: {
    typescript: 'for await (const recipe of client.recipes.list()) {\n  console.log(recipe.id, recipe.task)\n}',
    python: 'for recipe in client.recipes.list():\n    print(recipe.id, recipe.task)',
    answer: { next_cursor: null },
  },
  getRecipe: {
    query: 'format=json',
    typescript: `const recipe = await client.recipes.get('${RECIPE}')\nconsole.log(recipe.task, recipe.version)`,
    python: `recipe = client.recipes.get("${RECIPE}")\nprint(recipe.task, recipe.version)`,
  },
  updateRecipe: {
    body: { disabled: true },
    typescript: `await client.recipes.update('${RECIPE}', {\n  disabled: true,\n})`,
    python: `client.recipes.update(\n    "${RECIPE}", disabled=True\n)`,
    answer: { disabled: true },
  },
  deleteRecipe: {
    typescript: `await client.recipes.delete('${RECIPE}')`,
    python: `client.recipes.delete("${RECIPE}")`,
  },

  createProfile: {
    body: { name: 'acme' },
    typescript: "const profile = await client.profiles.create('acme')\nconsole.log(profile.id)",
    python: 'profile = client.profiles.create("acme")\nprint(profile.id)',
    answer: { saved_at: null },
  },
  listProfiles: {
    typescript:
      'for (const profile of await client.profiles.list()) {\n  console.log(profile.name, profile.saved_at)\n}',
    python: 'for profile in client.profiles.list():\n    print(profile.name, profile.saved_at)',
    answer: { next_cursor: null },
  },
  getProfile: {
    typescript: "const profile = await client.profiles.get('acme')\nconsole.log(profile.saved_at)",
    python: 'profile = client.profiles.get("acme")\nprint(profile.saved_at)',
  },
  deleteProfile: {
    typescript: "await client.profiles.delete('acme')",
    python: 'client.profiles.delete("acme")',
  },
  signIntoProfile: {
    body: { url: 'https://acme.example/login', pool: 'default' },
    typescript: `const task = await client.profiles.signIn('acme', {
  url: 'https://acme.example/login',
  pool: 'default',
})
console.log(task.id)`,
    python: `task = client.profiles.sign_in(
    "acme",
    url="https://acme.example/login",
    pool="default",
)
print(task.id)`,
    answer: { ...STARTED, task: 'Sign in at acme.example', url: 'https://acme.example/login' },
  },
  readTaskProfile: { as: 'browser' },
  saveTaskProfile: { as: 'browser', body: 'profile.json.gz' },
}
