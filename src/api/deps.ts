import type { ClusterReport } from '../../actors/cluster/cluster-report.ts'
import type { Clock, DeliveryPage, Ids, Log, Store } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import type { AuditEntry } from '../../machines/audit-records.ts'
import type { WorkspaceRecord } from '../../machines/records.ts'
import type { DeliveryRecord, EndpointRecord } from '../../machines/webhook-records.ts'
import type { Members } from '../identity/members.ts'
import type { OAuth } from '../identity/oauth.ts'
import type { Pairings } from '../identity/pairings.ts'
import type { ReadTokens } from '../identity/read-tokens.ts'
import type { MailWishes } from '../identity/request-mails.ts'
import type { SecretBox } from '../identity/secret-box.ts'
import type { Handler, Request, Response } from '../net/transport.ts'
import type { SchemaFault } from '../wire/schema-references.ts'

/** All that the HTTP surface is made of. `main` builds it; tests build it of fakes. */
export interface HttpDeps {
  readonly taskService: TaskService
  readonly store: Store
  /** `null`: sign-in is not configured. `/api/auth/*` is 503, cookies mean nothing. */
  readonly accounts: Accounts | null
  /** [A30] The hash of the key that somebody signed in to the pages with; `null` when the cookies name none. */
  readonly keySession?: (cookie: string) => Promise<string | null>
  readonly members: Members
  /** [P43] What people want to be told by e-mail. */
  readonly mailWishes: MailWishes
  /** `null`: billing is not configured. The payment webhook is 503, tasks are free. */
  readonly billing: BillingPort | null
  readonly endpoints: EndpointsPort
  /** [U9] Left out: files are not fetched. */
  readonly fetchFiles?: FetchFiles
  readonly checkSchema: CheckSchema
  /** `null`: no pages. */
  readonly pages: PagesPort | null
  /** Serves MCP on top of the API's handler. Without it, the service has no MCP endpoint. */
  readonly mcp?: (dispatch: Handler) => Handler
  readonly requestOriginOf: RequestOriginOf
  readonly readTokens: ReadTokens
  readonly oauth: OAuth
  /** One for all doors: its limits count what every door asks for. */
  readonly pairings: Pairings
  /** [R52] Shows the tabs of tasks; left out: none are shown. */
  readonly live?: LivePort
  readonly prices: Prices
  /** [O11] Left out: what is done is not noted. */
  readonly audit?: { note(entry: AuditEntry): void }
  /** Encrypts the secrets of tasks, and keys the fingerprints of requests that have some; `null` or left out: there is no key for it. */
  readonly secretBox?: SecretBox | null
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** Called after each request, for log and metrics. */
  readonly onAnswered?: (answered: Answered) => void
  readonly config: HttpConfig
}

/** A request that was answered, without anything that its sender chose freely. */
export interface Answered {
  readonly requestId: string
  readonly method: string
  /** The path of the route, such as `/v1/tasks/:id`; `page` or `other` for what is not part of the API. */
  readonly route: string
  readonly status: number
  /** From the whole request to the answer, or to the beginning of a stream. */
  readonly ms: number
  /** Whose request it was; `null` if it was not authenticated. */
  readonly workspaceId: string | null
  readonly keyId: string | null
}

/** The origin that a client asked, and the address that it asked from, behind proxies too. */
export interface RequestOrigin {
  /** Without a trailing slash. */
  readonly origin: string
  /** With its port where it is not the scheme's own. */
  readonly host: string
  /** It came by https. */
  readonly secure: boolean
  /** The client's, behind trusted proxies too. */
  readonly address: string
}
export type RequestOriginOf = (request: Pick<Request, 'headers' | 'ip'>) => RequestOrigin

export interface HttpConfig {
  /** Every origin that CORS echoes, such as `https://app.example.com`; outside production with the two of localhost. */
  readonly allowedOrigins: readonly string[]
  /** The running build, `dev` when unknown. */
  readonly version: string
  /** When the process started. */
  readonly startedAt: number
  /** Where clients reach this service, without a trailing slash; `null`: as the request's `Host` says. */
  readonly publicUrl: string | null
  /** The hosts that requests may name beside those that are always allowed; `*` is every one. */
  readonly hosts: readonly string[]
  /** [L35] The highest `max_steps` that a task may ask for. */
  readonly taskStepsMax: number
  /** [Z15] Whether browsers of pools keep their tasks from private addresses; left out: they do not. */
  readonly publicAddressesOnly?: boolean
  /** The port on which the relay really listens. */
  relayPort(): number
  /** Whether the relay's listener accepts sockets now. */
  relayListening(): boolean
  /** What a node knows of the others; left out or `null`: one process owns all. */
  cluster?(): ClusterReport | null
}

/**
 * Sign-in. Sees whole requests, because the authentication library reads what it likes.
 * Nothing here may reject for what a client sent: a cookie that is expired, forged or malformed is nobody.
 */
export interface Accounts {
  /** Whether anyone may make an account; else only who is invited may. */
  readonly signUp: boolean
  /** [A42] Whether who signs up is signed in by a link in an e-mail, and not at once. */
  readonly confirms: boolean
  /** Whether a forgotten password can be set anew by a link that is sent. */
  readonly sendsLinks: boolean
  /** Whether it is sent by e-mail; else it is a line of the service's log. */
  readonly sendsMail: boolean
  /** Who the session cookie in these headers (names in lower case) belongs to, its signature verified; `null` is nobody. */
  principalOf(headers: Readonly<Record<string, string>>): Promise<Member | null>
  /** Forgets what it knows of who belongs where: it was changed. */
  forget(): void
  /** [A29] What the person at this cookie can show now, before something that lasts is made. */
  confirm(headers: Readonly<Record<string, string>>, password: string): Promise<Confirmation>
  /**
   * Any request at or below `/api/auth`, but for the social sign-in below. A rejection is answered
   * 500 `Auth error: <message>`. CORS headers, `Vary` and `X-Request-Id` are added to what it resolves to.
   * `isInvited`: [A40] who asks has shown an invitation, and may sign up where strangers may not.
   */
  handle(request: Request, isInvited?: boolean): Promise<Response>
  /**
   * [GET /api/auth/sign-in/social] Where the provider's sign-in begins, and the `Set-Cookie` values that must go along.
   * Rejects for any reason (unknown or unconfigured provider, refused callback): the browser is sent to `/dashboard`.
   */
  socialUrl(social: {
    /** `google` when none was named. */
    readonly provider: string
    /** `/dashboard` when none was named. As the client sent it: which places are allowed is decided here. */
    readonly callbackURL: string
    readonly requestOrigin: RequestOrigin
  }): Promise<{ readonly location: string; readonly cookies: readonly string[] }>
}

export interface Confirmation {
  /** The password is theirs. */
  readonly isPassword: boolean
  /** They have one, and do not sign in with a provider alone. */
  readonly hasPassword: boolean
  /** They signed in less than ten minutes ago. */
  readonly isFresh: boolean
  /** The password was not looked at: too many wrong ones came before. It may be tried again after so many milliseconds. */
  readonly waitMs: number
}

/** [R52] What the tabs of tasks show now. */
export interface LivePort {
  /** Why no further viewer is accepted; `null` if one is. */
  refusal(taskId: string, sessionId: string): 'no_live_view' | 'too_many_viewers' | null
  /** `see` is given pictures, JPEGs in base64. Gives what ends it. */
  watch(taskId: string, sessionId: string, see: (jpeg: string) => void): () => void
}

/** A signed-in user. */
export interface Member {
  readonly userId: string
  readonly name: string
  readonly email: string
  /** Those that the user belongs to, oldest first. The first is the one meant when the request names none; never empty. */
  readonly workspaces: readonly WorkspaceRecord[]
}

/** The payment provider's webhook. Pure but for the clock: credits are written by the route. */
export interface BillingPort {
  /** Completed tasks per workspace and UTC month before credits are taken. */
  readonly freePerMonth: number
  /**
   * Verifies the signature over the raw body (constant time, 300 s tolerance) and reads the event. Never throws:
   * whatever is wrong with body or signature is a value.
   */
  verify(rawBody: Uint8Array, signature: string): PaymentEvent
}

/** `event` is the type that the provider named, `null` where none could be read from a body that is proven to be the provider's. */
export type PaymentEvent =
  /** A paid checkout: `credits` is a positive integer, `id` the event's own, the same however often it is delivered. */
  | {
      readonly kind: 'credits'
      readonly event: string
      readonly id: string
      readonly workspaceId: string
      readonly credits: number
    }
  /** For us, and nothing is credited: a checkout that is not paid yet, a payment that failed. Answered 200. */
  | { readonly kind: 'noted'; readonly event: string; readonly reason: string }
  /** Not for us: another type, a wrong signature, a body that is not JSON, credits that are not a positive integer. Answered 400. */
  | { readonly kind: 'unhandled'; readonly event: string | null; readonly reason: string }

/** [U9] A file that was fetched for a start. */
export interface FetchedFile {
  readonly bytes: Uint8Array
  /** As its server says, without parameters; `null` when it says nothing of use. */
  readonly mediaType: string | null
}
/**
 * [U9] Fetches files, one after the other, of `bytesMax` in all. Never rejects. What could not be fetched is said by its place among the
 * URLs; of the reason the caller learns nothing but that they are too large.
 */
export type FetchFiles = (
  urls: readonly string[],
  bytesMax: number,
  signal: AbortSignal,
  redirectsMax?: number,
) => Promise<readonly FetchedFile[] | { readonly failed: number; readonly isTooLarge: boolean }>

/** [L31] JSON of a schema that can be used, its references resolved; or why it cannot, in words that follow the field's name. */
export type CheckedSchema = { readonly schema: string } | SchemaFault

/** [T63] Resolves and compiles a schema, given as JSON, beside the event loop. */
export type CheckSchema = (
  workspaceId: string,
  schema: string,
) => Promise<CheckedSchema | 'too_many_schemas' | 'schema_not_checked'>

/** What is changed of an endpoint. */
export type EndpointFields = Partial<Pick<EndpointRecord, 'url' | 'types' | 'description' | 'disabled'>>

/** Webhook endpoints and their deliveries. `null`: the workspace has no such endpoint or delivery. */
export interface EndpointsPort {
  /** Its secret is known to this answer alone. */
  create(
    workspaceId: string,
    fields: Pick<EndpointRecord, 'url' | 'types' | 'description'>,
  ): Promise<{ endpoint: EndpointRecord; secret: string } | 'secrets_not_configured' | 'too_many_endpoints'>
  list(workspaceId: string): Promise<EndpointRecord[]>
  get(workspaceId: string, id: string): Promise<EndpointRecord | null>
  update(workspaceId: string, id: string, fields: EndpointFields): Promise<EndpointRecord | null>
  remove(workspaceId: string, id: string): Promise<boolean>
  /** A new secret; the former one signs as well until `formerUntil`. */
  rotate(
    workspaceId: string,
    id: string,
  ): Promise<{ endpoint: EndpointRecord; secret: string; formerUntil: number } | 'secrets_not_configured' | null>
  /** Sends a test event. */
  test(workspaceId: string, id: string): Promise<DeliveryRecord | null>
  deliveries(workspaceId: string, id: string, page: Omit<DeliveryPage, 'endpointId'>): Promise<DeliveryRecord[] | null>
  delivery(workspaceId: string, id: string): Promise<DeliveryRecord | null>
  redeliver(workspaceId: string, id: string): Promise<DeliveryRecord | 'endpoint_disabled' | null>
  /** Sends again what failed or was skipped since then: how many. */
  recover(workspaceId: string, id: string, since: number): Promise<number | 'endpoint_disabled' | null>
}

/** Pages and static files. */
export interface PagesPort {
  /**
   * Asked for every path outside `/v1/` and `/api/auth` before authentication; `null` says that the path is none of its own.
   * HEAD comes as HEAD: its body is dropped by the transport. `onRoute` is called with the path of the route that answers, such as
   * `/dashboard/tasks/:id`.
   */
  answer(request: Request, onRoute: (route: string) => void): Promise<Response | null>
  /** [P41] A refusal of the surface as a page; `null`: the request comes from a program. */
  refusal(
    request: Request,
    refused: { readonly status: number; readonly message: string; readonly requestId: string },
  ): Promise<Response> | null
}

/** What a model costs. */
export interface Prices {
  /** US dollars for these tokens, those from and to the prompt cache at their own price; `null` for a model without a price. */
  costUsd(
    model: string,
    tokens: Readonly<{
      inputTokens: number
      outputTokens: number
      cachedTokens?: number | undefined
      cacheWriteTokens?: number | undefined
    }>,
  ): number | null
}

/** [E31] A code, as the docs explain it: its statuses, what it says, and by which operations it is answered. */
export interface ErrorEntry {
  readonly code: string
  readonly statuses: readonly number[]
  readonly sentence: string
  /** The field or parameter that it is about. */
  readonly field: string | null
  readonly operations: readonly string[]
}
