import type { ClusterReport } from '../../actors/cluster/cluster-report.ts'
import type { AccessScope, Sentences, SentRequest } from '../../actors/inspection/shown.ts'
import type { Store } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import type { TaskRecord } from '../../machines/records.ts'
import type { ErrorEntry, HttpConfig, HttpDeps } from '../api/deps.ts'
import type { PageSessions } from '../identity/key-sign-in.ts'
import type { Response } from '../net/transport.ts'
import type { ArchivesPort } from './archives.ts'
import type { Provider } from './sign-in.ts'

/** Server-Sent Events on their way to one reader; `null` when too many look already. */
type Stream = NonNullable<Response['stream']> | null

/** The inspector as its pages see it. `main` builds it. */
export interface InspectorPort {
  /** The names of the machines. */
  readonly names: readonly string[]
  /** The drawing of a machine; `null` if there is no machine of that name. */
  svg(name: string): Promise<string | null>
  /** What each machine is, and what its states, events and guards mean. */
  sentences(): Promise<Readonly<Record<string, Sentences>>>
  /** Who lives, as it goes on. */
  actors(scope: AccessScope): Stream
  /** Everything about one actor, as it goes on. */
  actor(scope: AccessScope, focus: string): Stream
  /** What this node knows of the others; `null`: one process owns all. */
  nodes(): ClusterReport | null
}

export interface PagesDeps
  extends Pick<
    HttpDeps,
    'accounts' | 'audit' | 'endpoints' | 'requestOriginOf' | 'members' | 'oauth' | 'readTokens' | 'log'
  > {
  readonly clock: Pick<HttpDeps['clock'], 'now'>
  readonly taskService: Pick<TaskService, 'task' | 'steps' | 'events' | 'models'>
  readonly store: Pick<Store, 'pairings' | 'keys' | 'workspaces' | 'audit' | 'traces' | 'recipes' | 'image'>
  readonly config: Pick<HttpConfig, 'publicUrl'>
  /** False: there is no language model, and every start is refused. */
  readonly modelConfigured: boolean
  /** [P17] The pool for whose tasks the service starts a browser by itself; `null`: it starts none. */
  readonly ownPool: string | null
  /** [P44] A task for who has nothing set up yet; `null`: the operator offers none, or cannot. */
  readonly tryOut: {
    offer(): Promise<{ readonly task: string; readonly url: string; readonly model: string } | null>
  } | null
  /** Other places to sign in at. */
  readonly providers: readonly Provider[]
  readonly inspector: InspectorPort
  /** What the model was sent for the reply of a step, rebuilt from the log of the task; `null`: it has no such reply. */
  readonly requestOf: (task: TaskRecord, step: number) => Promise<SentRequest | null>
  /** Sign-ins by a key, and the keys of the service's owner. */
  readonly sessions: PageSessions
  /** Cookies are only sent over https then. */
  readonly production: boolean
  /** What is measured, as Prometheus reads it. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>
  /** A Bearer token that may read the metrics from elsewhere; `null`: only the owner's key may. */
  readonly metricsToken: string | null
  /** [P15] The extension as a zip file, made from its sources. */
  readonly extensionZip: () => Promise<Uint8Array>
  /** [P45] What can be installed from this service. */
  readonly archives: ArchivesPort
  /** The answer that refuses a download. */
  readonly refuse: (code: 'too_many_downloads' | 'archives_not_built') => Response
  /** The OpenAPI document. */
  readonly openApi: () => Readonly<Record<string, unknown>>
  /** [E31] Every code of an error. */
  readonly errors: () => readonly ErrorEntry[]
}
