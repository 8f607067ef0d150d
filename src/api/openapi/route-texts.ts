import { MEMBERS_MAX } from '../../identity/members.ts'
import type { Route } from '../route.ts'
import { SENT } from './webhooks.ts'

/** How a route is called in generated clients, and what it does, in a few sentences. By method and path. */
export interface RouteText {
  readonly id: string
  readonly description: string
}

export const ROUTE_TEXTS: Readonly<Record<string, RouteText>> = {
  'POST /v1/tasks': {
    id: 'createTask',
    description:
      'Starts a task and answers at once or, with `wait_s`, when it has ended or needs input; it runs in the background. Send an Idempotency-Key, so that a repeated request does not start a second task.',
  },
  'POST /v1/tasks/:id/rerun': {
    id: 'rerunTask',
    description:
      'Starts the same request again, as a task of its own. Fields of the body replace those of the earlier request.',
  },
  'GET /v1/recipes': {
    id: 'listRecipes',
    description: 'Newest first, page by page, without their steps.',
  },
  'GET /v1/recipes/:id': {
    id: 'getRecipe',
    description: 'Also as a test in TypeScript: `format=playwright`, or `Accept`.',
  },
  'PATCH /v1/recipes/:id': {
    id: 'updateRecipe',
    description: 'Only `recipe: "new"` replaces a disabled one.',
  },
  'DELETE /v1/recipes/:id': {
    id: 'deleteRecipe',
    description: 'A task that plays it goes on with its model.',
  },
  'POST /v1/profiles': {
    id: 'createProfile',
    description: 'It is empty until a person signs in, or a task with `save` ends.',
  },
  'GET /v1/profiles': { id: 'listProfiles', description: 'All of them, without what they hold.' },
  'GET /v1/profiles/:id': { id: 'getProfile', description: 'When it was saved. What it holds is never shown.' },
  'DELETE /v1/profiles/:id': {
    id: 'deleteProfile',
    description: 'Tasks that run with it go on, and save nothing.',
  },
  'POST /v1/profiles/:id/sign-in': {
    id: 'signIntoProfile',
    description:
      'Starts a task that opens the page in a browser of the pool and waits up to 10 minutes for a person, who clicks and types over the live view. When they accept its input request, the profile is saved.',
  },
  'GET /v1/browser-profiles/:task_id': {
    id: 'readTaskProfile',
    description: 'For browsers, with their session token.',
  },
  'POST /v1/browser-profiles/:task_id': {
    id: 'saveTaskProfile',
    description: 'For browsers, with their session token: once, when the task has ended.',
  },
  'POST /v1/tasks/:id/live/input': {
    id: 'sendLiveInput',
    description:
      'What a person does in the picture of the live view. The task must be paused, or have asked its user to take over; the browser must be a headless one. It is not recorded.',
  },
  'GET /v1/tasks': {
    id: 'listTasks',
    description: 'Newest first, page by page, without `turns`. All conditions that are given must hold.',
  },
  'GET /v1/tasks/:id': {
    id: 'getTask',
    description:
      'Where a task is, and what came of it. `steps` and `usage` are live while it runs. With `wait_s` the answer comes as soon as the task has ended or needs input.',
  },
  'DELETE /v1/tasks/:id': {
    id: 'deleteTask',
    description: 'Removes a task that has ended with its steps, screenshots and events. What it used still counts.',
  },
  'POST /v1/tasks/:id/cancel': {
    id: 'cancelTask',
    description: 'Ends a running task and answers once it has ended. No credit is taken.',
  },
  'POST /v1/tasks/:id/pause': {
    id: 'pauseTask',
    description:
      'The call that is under way goes on to its end; nothing is asked or called after it until the task is resumed.',
  },
  'POST /v1/tasks/:id/resume': {
    id: 'resumeTask',
    description: 'The task goes on where it was paused. A task that is not paused stays as it is.',
  },
  'POST /v1/tasks/:id/messages': {
    id: 'sendMessage',
    description:
      'The model reads the text before its next reply. `interrupt` gives up the reply that is awaited now, never a call that the browser already has.',
  },
  'POST /v1/tasks/:id/inputs/:request_id': {
    id: 'answerInput',
    description:
      'Answers the `input_request` of a task that waits for its user. The first answer counts; a second one is refused.',
  },
  'GET /v1/tasks/:id/steps': {
    id: 'listTaskSteps',
    description: 'What happened, in its order: what the model said, and for each call its input, output and duration.',
  },
  'GET /v1/tasks/:id/screenshots/:step': {
    id: 'getTaskScreenshot',
    description: 'The last screenshot of a step: a JPEG, or with `Accept: application/json` its base64 text.',
  },
  'POST /v1/files': {
    id: 'uploadFile',
    description:
      'Keeps a file of up to 25 MB; a task names it by `file_id`. The body is the file itself. Removed when no task has used it for 24 hours.',
  },
  'GET /v1/tasks/:id/files': {
    id: 'listTaskFiles',
    description: 'What was given with the task and what it has downloaded, the oldest first.',
  },
  'GET /v1/tasks/:id/files/:file_id': {
    id: 'getTaskFile',
    description: 'The bytes, to be saved: always as an attachment, whatever type the file says it is of.',
  },
  'POST /v1/browser-files': {
    id: 'uploadBrowserFile',
    description:
      'Sent by a browser with its session token, for a task that its user starts in the side panel. A file that no task has used for 24 hours is removed.',
  },
  'GET /v1/browser-files/:task_id': {
    id: 'listBrowserFiles',
    description: 'Asked by the browser of the task with its session token.',
  },
  'GET /v1/browser-files/:task_id/:file_id': {
    id: 'getBrowserFile',
    description: 'Asked by the browser of the task with its session token, when the file is uploaded or read.',
  },
  'POST /v1/browser-files/:task_id/:file_id': {
    id: 'keepBrowserFile',
    description:
      'Sent by the browser of the task with its session token. The browser chooses the id, so that a repeated request keeps one file.',
  },
  'GET /v1/tasks/:id/live': {
    id: 'watchTask',
    description:
      'Server-Sent Events: a `frame` whenever the page changes, at most four a second, each with a JPEG in base64. The browser is asked for them while somebody looks, and no longer. 204 when the task has ended, or its browser cannot show its pages.',
  },
  'GET /v1/tasks/:id/pictures/:picture': {
    id: 'getTaskPicture',
    description: 'The JPEG that the event `picture.taken` names.',
  },
  'GET /v1/tasks/:id/events': {
    id: 'listTaskEvents',
    description:
      'A page of the events of a task after a cursor; with `Accept: text/event-stream` those and all that come, until the task has ended.',
  },
  'GET /v1/events': {
    id: 'listEvents',
    description: 'The same for all tasks of the workspace, with a cursor of its own.',
  },
  'POST /v1/tasks/:id/tokens': {
    id: 'createReadToken',
    description: 'A token that reads the events of this task for 15 minutes, for pages that use EventSource.',
  },
  'POST /v1/tasks/:id/share': {
    id: 'shareTask',
    description:
      'Makes a link to the task, its answer and its output, for people without an account: nothing of its steps, pictures, files or cost. It ends after `expires_in_s`, when it is deleted or made anew, or with the key that made it. The token is in this answer and nowhere else.',
  },
  'GET /v1/tasks/:id/share': {
    id: 'getShare',
    description: 'Since when and until when the link to the result is open; both null when there is none.',
  },
  'DELETE /v1/tasks/:id/share': { id: 'deleteShare', description: 'The link opens nothing from then on.' },
  'GET /v1/shared/:token': {
    id: 'getSharedResult',
    description: 'What the link shows: the token is all that it takes.',
  },
  'POST /v1/browser-sessions/pair': {
    id: 'createPairing',
    description:
      'Makes a link by which a person lets tasks of the workspace run in their browser. It is valid for one browser and five minutes.',
  },
  'POST /v1/browser-sessions/pairing': {
    id: 'getPairing',
    description:
      'What a pairing token is for, to be shown to the person who is asked to agree. The token is not used up.',
  },
  'POST /v1/browser-sessions/register': {
    id: 'registerBrowser',
    description: 'Uses a pairing token up. A browser calls this, then connects to the relay with the session token.',
  },
  'GET /v1/browser-sessions': {
    id: 'listBrowserSessions',
    description: 'The paired browsers of the workspace, newest first. A publishable key sees those that it paired.',
  },
  'POST /v1/browser-sessions/:id': {
    id: 'updateBrowserSession',
    description: 'Says whether this browser may start tasks of its own and use the language model.',
  },
  'DELETE /v1/browser-sessions/:id': {
    id: 'deleteBrowserSession',
    description: 'Ends a pairing: the socket of the browser is closed and its token is dead.',
  },
  'POST /v1/api-keys': {
    id: 'createApiKey',
    description: 'Makes a key. Its text is in this answer and nowhere else.',
  },
  'GET /v1/api-keys': { id: 'listApiKeys', description: 'The keys of the workspace, without their texts.' },
  'DELETE /v1/api-keys/:id': {
    id: 'deleteApiKey',
    description: 'The key is dead at once, and so are the browsers and pairing links that it made.',
  },
  'GET /v1/members': {
    id: 'listMembers',
    description: `Who belongs to the workspace, as what: ${MEMBERS_MAX} at most.`,
  },
  'PATCH /v1/members/:id': {
    id: 'setMemberRole',
    description: 'Changes what a member may do. A workspace keeps at least one owner.',
  },
  'DELETE /v1/members/:id': {
    id: 'removeMember',
    description: 'Owners remove others; everybody may leave. What a member made stays.',
  },
  'GET /v1/invitations': {
    id: 'listInvitations',
    description: 'Invitations that nobody has accepted yet, oldest first, without their links.',
  },
  'POST /v1/invitations': {
    id: 'inviteMember',
    description:
      'Makes a link by which one person joins, once, within a week; an earlier one for the same address is good no more. The link is in this answer and, where the service sends e-mail, in a letter.',
  },
  'DELETE /v1/invitations/:id': { id: 'revokeInvitation', description: 'Its link stops working.' },
  'POST /v1/invitations/accept': {
    id: 'joinWorkspace',
    description: 'Joins the workspace of an invitation, which is used up. The token is the end of its link.',
  },
  'POST /v1/workspaces/claim': {
    id: 'claimWorkspace',
    description:
      'Makes you the owner of a workspace that has no members, by one of its secret keys. Its keys, browsers and tasks stay as they are.',
  },
  'GET /v1/connected-apps': {
    id: 'listConnectedApps',
    description: 'Applications that use MCP on behalf of who asks, in this workspace.',
  },
  'DELETE /v1/connected-apps/:id': { id: 'disconnectApp', description: 'Its tokens are dead at once.' },
  'POST /v1/account/password': {
    id: 'changePassword',
    description: 'Sets another password and signs all other devices out. The answer brings a new cookie.',
  },
  'GET /v1/account/notifications': {
    id: 'getNotifications',
    description: 'What you are told by e-mail. It is a setting of your account, for all of its workspaces.',
  },
  'PATCH /v1/account/notifications': {
    id: 'setNotifications',
    description:
      'Turns e-mails about tasks that need a person on or off: one for each request that has waited for a minute, with a link to the task.',
  },
  'GET /v1/limits': {
    id: 'getLimits',
    description: 'The limits of the workspace, which the operator of the service sets.',
  },
  'PATCH /v1/limits': {
    id: 'updateLimits',
    description:
      'Lowers limits of the workspace; null takes that back, and what is left out stays. What is more than the operator of the service allows is refused.',
  },
  'GET /v1/audit': {
    id: 'listAuditEntries',
    description:
      'Newest first: who did what, by which key, from where. For secret keys and for owners. All conditions that are given must hold.',
  },
  'GET /v1/usage': {
    id: 'getUsage',
    description:
      'Tokens, model calls, cost and tasks of the workspace, summed; with `group_by` also by day, model, key and outcome.',
  },
  'GET /v1/billing/credits': {
    id: 'getCredits',
    description: 'How many tasks the workspace may still have completed.',
  },
  'POST /v1/billing/webhook': {
    id: 'receivePaymentEvent',
    description:
      'The webhook that the payment provider calls. An event is applied once, however often it is delivered.',
  },
  'POST /v1/webhook-endpoints': {
    id: 'createWebhookEndpoint',
    description:
      'Adds a URL that receives events, signed by Standard Webhooks. Its secret is in this answer and nowhere else.',
  },
  'GET /v1/webhook-endpoints': {
    id: 'listWebhookEndpoints',
    description: 'Those of the workspace, oldest first, without their secrets.',
  },
  'GET /v1/webhook-endpoints/:id': { id: 'getWebhookEndpoint', description: 'One endpoint, without its secret.' },
  'PATCH /v1/webhook-endpoints/:id': {
    id: 'updateWebhookEndpoint',
    description: 'Changes what is given; what is left out or null stays as it is.',
  },
  'DELETE /v1/webhook-endpoints/:id': {
    id: 'deleteWebhookEndpoint',
    description: 'Removes the endpoint. What was to be sent to it is not sent any more.',
  },
  'POST /v1/webhook-endpoints/:id/rotate': {
    id: 'rotateWebhookSecret',
    description: 'Makes a new secret. For 24 hours both sign, so that a receiver can change over.',
  },
  'POST /v1/webhook-endpoints/:id/test': {
    id: 'testWebhookEndpoint',
    description: 'Sends an event of type `webhook.test`, so that a receiver can be tried.',
  },
  'GET /v1/webhook-endpoints/:id/deliveries': {
    id: 'listWebhookDeliveries',
    description: 'What was sent, newest first, each with its attempts and their answers.',
  },
  'POST /v1/webhook-endpoints/:id/recover': {
    id: 'recoverWebhookDeliveries',
    description:
      'Sends again what failed or was skipped since a moment, such as an outage of the receiver: at most 1,000 events, the oldest first.',
  },
  'GET /v1/webhook-deliveries/:id': {
    id: 'getWebhookDelivery',
    description: 'One delivery with its attempts and their answers.',
  },
  'POST /v1/webhook-deliveries/:id/redeliver': {
    id: 'redeliverWebhook',
    description: 'Sends one delivery again, with the same id and bytes.',
  },
  'GET /v1/health': {
    id: 'getHealth',
    description:
      'Whether the service can work: 200 when its relay listens, its store answers and its actors work, else 503.',
  },
  'GET /v1/debug-cookies': {
    id: 'debugCookies',
    description: 'Which cookies arrive here, for those who set up a proxy or CORS.',
  },
  'GET /v1/me': { id: 'getMe', description: 'Who is signed in, or the workspace of a key.' },
}

export const TAG_TEXTS: Readonly<Record<string, string>> = {
  Tasks: 'Starting, following, finding and ending tasks.',
  Files: 'Files that tasks upload, and what they download.',
  Events: 'What happens in tasks, as pages and as streams.',
  'Browser sessions': 'Pairing browsers, and the browsers that are paired.',
  'API keys': 'The keys of a workspace.',
  Members: 'The people of a workspace, invitations, and their accounts.',
  Webhooks: 'URLs that receive events, and what was sent to them.',
  'Webhook events': SENT,
  'Usage and billing': 'What was used, and what is left.',
  'Audit log': 'Who did what in a workspace.',
  Service: 'The service itself.',
}

/** The name of a route in generated clients and in the audit log. */
export const operationIdOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
  ROUTE_TEXTS[`${method} ${path}`]?.id ?? idOf(method, path)

/** `POST /v1/tasks/:id/cancel` is `postTasksIdCancel` where it has no name of its own. */
const idOf = (method: string, path: string): string => {
  const words = path.split(/[^a-z]+/i).filter((word) => word !== '' && word !== 'v')
  return [method.toLowerCase(), ...words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)].join('')
}
