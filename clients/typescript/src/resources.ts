import type * as Api from './api.ts'
import type { Routes } from './api.ts'
import { type Http, itemsOf } from './http.ts'
import { pause } from './retry.ts'
import { unwrap } from './webhooks.ts'
import { type CallOptions, type PostOptions, within } from './within.ts'

type QueryOf<Route extends keyof Routes> = Routes[Route] extends { query?: infer Query } ? NonNullable<Query> : never
const LOOK_AGAIN_MS = 1_000

class Resource {
  protected readonly http: Http
  constructor(http: Http) {
    this.http = http
  }
}

/** Paired browsers. */
export class Browsers extends Resource {
  /** A link by which a person pairs a browser: valid for one browser and five minutes. */
  pair(params: Api.PairBody = {}, options: PostOptions = {}): Promise<Api.Pairing> {
    return this.http.request('POST /v1/browser-sessions/pair', { body: params, ...options })
  }

  /** Every paired browser, or those with this status, newest first. */
  list(
    { cursor, ...query }: QueryOf<'GET /v1/browser-sessions'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Api.BrowserSession> {
    return itemsOf(cursor, async (from) => {
      const page = await this.http.request('GET /v1/browser-sessions', {
        query: { ...query, cursor: from },
        ...options,
      })
      return { items: page.data, next: page.next_cursor }
    })
  }

  /** Of the browsers that are connected, but for those of pools, the one that connected last; `null` when none is. */
  async newest(options: CallOptions = {}): Promise<Api.BrowserSession | null> {
    let newest: Api.BrowserSession | null = null
    for await (const browser of this.list({ status: 'connected' }, options))
      if (!browser.pool && (newest === null || (browser.connected_at ?? 0) > (newest.connected_at ?? 0)))
        newest = browser
    return newest
  }

  /** The same, waited for if need be. */
  connected(options: CallOptions = {}): Promise<Api.BrowserSession> {
    return within(options, async (signal) => {
      for (;;) {
        const browser = await this.newest({ signal })
        if (browser !== null) return browser
        await pause(LOOK_AGAIN_MS, signal)
      }
    })
  }

  /** Says whether this browser may start tasks of its own. */
  async allowTasks(id: string, isAllowed: boolean, options: PostOptions = {}): Promise<void> {
    const body = { allow_tasks: isAllowed }
    await this.http.request('POST /v1/browser-sessions/{id}', { path: { id }, body, ...options })
  }

  /** Ends a pairing. */
  async remove(id: string, options: CallOptions = {}): Promise<void> {
    await this.http.request('DELETE /v1/browser-sessions/{id}', { path: { id }, ...options })
  }
}

/** Profiles, which keep tasks signed in to sites. A profile is named by its name or its id. */
export class Profiles extends Resource {
  create(name: string, options: PostOptions = {}): Promise<Api.Profile> {
    return this.http.request('POST /v1/profiles', { body: { name }, ...options })
  }

  async list(options: CallOptions = {}): Promise<Api.Profile[]> {
    return (await this.http.request('GET /v1/profiles', options)).data
  }

  get(name: string, options: CallOptions = {}): Promise<Api.Profile> {
    return this.http.request('GET /v1/profiles/{id}', { path: { id: name }, ...options })
  }

  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.http.request('DELETE /v1/profiles/{id}', { path: { id: name }, ...options })
  }

  /** Starts a task in which a person signs in over the live view, and then accepts its input request. */
  signIn(name: string, params: Api.SignInBody, options: PostOptions = {}): Promise<Api.Task> {
    return this.http.request('POST /v1/profiles/{id}/sign-in', { path: { id: name }, body: params, ...options })
  }
}

/** Keys of the workspace. */
export class Keys extends Resource {
  /** Makes a key, whose text is in this answer and nowhere else. */
  create(params: Api.CreateKeyBody, options: PostOptions = {}): Promise<Api.KeyCreated> {
    return this.http.request('POST /v1/api-keys', { body: params, ...options })
  }

  async list(options: CallOptions = {}): Promise<Api.ApiKey[]> {
    return (await this.http.request('GET /v1/api-keys', options)).data
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.http.request('DELETE /v1/api-keys/{id}', { path: { id }, ...options })
  }
}

/** What tasks were played by, one for each template. */
export class Recipes extends Resource {
  /** Every recipe, newest first. */
  list(
    { cursor, ...query }: QueryOf<'GET /v1/recipes'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Api.RecipeSummary> {
    return itemsOf(cursor, async (from) => {
      const page = await this.http.request('GET /v1/recipes', { query: { ...query, cursor: from }, ...options })
      return { items: page.data, next: page.next_cursor }
    })
  }

  /** One with its steps in words. */
  get(id: string, options: CallOptions = {}): Promise<Api.Recipe> {
    return this.http.request('GET /v1/recipes/{id}', { path: { id }, query: { format: 'json' }, ...options })
  }

  /** Its current version as a Playwright test in TypeScript. */
  async playwright(id: string, options: CallOptions = {}): Promise<string> {
    const query = { format: 'playwright' } as const
    const answer: unknown = await this.http.request('GET /v1/recipes/{id}', { path: { id }, query, ...options })
    return answer as string
  }

  /** Disables it, or enables it again. */
  update(id: string, changes: Api.ChangeRecipeBody, options: CallOptions = {}): Promise<Api.Recipe> {
    return this.http.request('PATCH /v1/recipes/{id}', { path: { id }, body: changes, ...options })
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.http.request('DELETE /v1/recipes/{id}', { path: { id }, ...options })
  }
}

/** Files for tasks to come. */
export class Files extends Resource {
  /** Keeps a file of up to 25 MB for 24 hours, or as long as a task that names it by `file_id`. */
  upload(
    name: string,
    content: Blob | string | Uint8Array<ArrayBuffer>,
    options: PostOptions = {},
  ): Promise<Api.UploadedFile> {
    const body = content instanceof Blob ? content : new Blob([content])
    const query = { name, media_type: body.type || undefined }
    return this.http.request('POST /v1/files', { query, body, ...options })
  }
}

/** What was used, and what is left. */
export class Usage extends Resource {
  /** Tokens, model calls, cost and tasks, from `since` (ms) on; with `group_by` also by day, model, key and outcome. */
  get({ since, group_by, ...options }: CallOptions & QueryOf<'GET /v1/usage'> = {}): Promise<Api.UsageSummary> {
    return this.http.request('GET /v1/usage', { query: { since, group_by }, ...options })
  }

  credits(options: CallOptions = {}): Promise<Api.Credits> {
    return this.http.request('GET /v1/billing/credits', options)
  }
}

/** What the workspace may. */
export class Limits extends Resource {
  get(options: CallOptions = {}): Promise<Api.Limits> {
    return this.http.request('GET /v1/limits', options)
  }

  /** Lowers them, within what the operator allows. */
  update(changes: Api.ChangeLimitsBody, options: CallOptions = {}): Promise<Api.Limits> {
    return this.http.request('PATCH /v1/limits', { body: changes, ...options })
  }
}

/** People of the workspace, and the invitations by which they come. For who is signed in with an account, not for keys. */
export class Members extends Resource {
  async list(options: CallOptions = {}): Promise<Api.Member[]> {
    return (await this.http.request('GET /v1/members', options)).data
  }

  setRole(id: string, role: Api.SetRoleBody['role'], options: CallOptions = {}): Promise<Api.RoleSet> {
    return this.http.request('PATCH /v1/members/{id}', { path: { id }, body: { role }, ...options })
  }

  /** Removes a member; everybody may leave. */
  async remove(id: string, options: CallOptions = {}): Promise<void> {
    await this.http.request('DELETE /v1/members/{id}', { path: { id }, ...options })
  }

  /** Invitations that nobody has accepted yet. */
  async invitations(options: CallOptions = {}): Promise<Api.Invitation[]> {
    return (await this.http.request('GET /v1/invitations', options)).data
  }

  /** Makes a link by which one person joins: it is in this answer and nowhere else. */
  invite(params: Api.InviteBody, options: PostOptions = {}): Promise<Api.InvitationCreated> {
    return this.http.request('POST /v1/invitations', { body: params, ...options })
  }

  async revokeInvitation(id: string, options: CallOptions = {}): Promise<void> {
    await this.http.request('DELETE /v1/invitations/{id}', { path: { id }, ...options })
  }
}

/** The account of who is signed in. */
export class Account extends Resource {
  /** Joins the workspace of an invitation: `token` is the end of its link. */
  join(token: string, options: PostOptions = {}): Promise<Api.Joined> {
    return this.http.request('POST /v1/invitations/accept', { body: { token }, ...options })
  }

  /** Takes over a workspace without members by one of its secret keys. */
  claim(params: Api.ClaimWorkspaceBody = {}, options: PostOptions = {}): Promise<Api.Claimed> {
    return this.http.request('POST /v1/workspaces/claim', { body: params, ...options })
  }

  /** The applications that you let use MCP in this workspace. */
  async apps(options: CallOptions = {}): Promise<Api.ConnectedApp[]> {
    return (await this.http.request('GET /v1/connected-apps', options)).data
  }

  /** Ends what an application may do: its tokens are dead at once. */
  async disconnectApp(id: string, options: CallOptions = {}): Promise<void> {
    await this.http.request('DELETE /v1/connected-apps/{id}', { path: { id }, ...options })
  }

  /** Sets another password, and signs all other devices out. */
  async changePassword(params: Api.ChangePasswordBody, options: PostOptions = {}): Promise<void> {
    await this.http.request('POST /v1/account/password', { body: params, ...options })
  }

  /** What you are told by e-mail. */
  async notifications(options: CallOptions = {}): Promise<Api.Notifications> {
    return this.http.request('GET /v1/account/notifications', options)
  }

  /** Turns e-mails about tasks that need a person on or off. */
  async setNotifications(params: Api.SetNotificationsBody, options: CallOptions = {}): Promise<Api.Notifications> {
    return this.http.request('PATCH /v1/account/notifications', { body: params, ...options })
  }
}

/** What was done in the workspace, and by whom. */
export class Audit extends Resource {
  /** Every entry that fulfils the conditions, newest first. */
  list({ cursor, ...query }: QueryOf<'GET /v1/audit'> = {}, options: CallOptions = {}): AsyncGenerator<Api.AuditEntry> {
    return itemsOf(cursor, async (from) => {
      const page = await this.http.request('GET /v1/audit', { query: { ...query, cursor: from }, ...options })
      return { items: page.data, next: page.next_cursor }
    })
  }
}

/** Webhook endpoints, and what is sent to them. */
export class Webhooks extends Resource {
  readonly unwrap = unwrap

  /** Makes an endpoint, whose secret is in this answer and nowhere else. */
  create(params: Api.CreateEndpointBody, options: PostOptions = {}): Promise<Api.EndpointCreated> {
    return this.http.request('POST /v1/webhook-endpoints', { body: params, ...options })
  }

  async list(options: CallOptions = {}): Promise<Api.Endpoint[]> {
    return (await this.http.request('GET /v1/webhook-endpoints', options)).data
  }

  get(id: string, options: CallOptions = {}): Promise<Api.Endpoint> {
    return this.http.request('GET /v1/webhook-endpoints/{id}', { path: { id }, ...options })
  }

  update(id: string, changes: Api.ChangeEndpointBody, options: CallOptions = {}): Promise<Api.Endpoint> {
    return this.http.request('PATCH /v1/webhook-endpoints/{id}', { path: { id }, body: changes, ...options })
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.http.request('DELETE /v1/webhook-endpoints/{id}', { path: { id }, ...options })
  }

  /** Gives an endpoint a new secret; the former one is valid for another 24 hours. */
  rotate(id: string, options: PostOptions = {}): Promise<Api.EndpointRotated> {
    return this.http.request('POST /v1/webhook-endpoints/{id}/rotate', { path: { id }, body: {}, ...options })
  }

  /** Sends an event of the type `webhook.test`. */
  test(id: string, options: PostOptions = {}): Promise<Api.Delivery> {
    return this.http.request('POST /v1/webhook-endpoints/{id}/test', { path: { id }, body: {}, ...options })
  }

  /** Every delivery to an endpoint, newest first, with its attempts. */
  deliveries(
    id: string,
    { cursor, ...query }: QueryOf<'GET /v1/webhook-endpoints/{id}/deliveries'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Api.Delivery> {
    return itemsOf(cursor, async (from) => {
      const call = { path: { id }, query: { ...query, cursor: from }, ...options }
      const page = await this.http.request('GET /v1/webhook-endpoints/{id}/deliveries', call)
      return { items: page.data, next: page.next_cursor }
    })
  }

  /** Sends what has failed since a time (ms) again. */
  recover(id: string, since: number, options: PostOptions = {}): Promise<Api.Recovered> {
    return this.http.request('POST /v1/webhook-endpoints/{id}/recover', { path: { id }, body: { since }, ...options })
  }

  delivery(id: string, options: CallOptions = {}): Promise<Api.Delivery> {
    return this.http.request('GET /v1/webhook-deliveries/{id}', { path: { id }, ...options })
  }

  redeliver(id: string, options: PostOptions = {}): Promise<Api.Delivery> {
    return this.http.request('POST /v1/webhook-deliveries/{id}/redeliver', { path: { id }, body: {}, ...options })
  }
}
