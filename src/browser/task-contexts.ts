import type { ContextOptions } from '../../machines/records.ts'
import type { ProfileValues } from '../wire/profiles.ts'
import { ToolError } from './act/cdp.ts'
import { type AllowingProxy, openAllowingProxy, type ProxyRules } from './allowing-proxy.ts'

interface Closeable {
  close(): Promise<unknown>
}
interface TaskContext<Context> {
  readonly context: Context
  readonly proxy: AllowingProxy | null
}

/** How the browser context of a task is. */
export interface ContextNeeds {
  /** [F3] The domains that it reaches; `null`: any. */
  readonly domains: readonly string[] | null
  /** [Z8] */
  readonly options: ContextOptions
  /** [Z6] It begins with nothing of the browser's profile. */
  readonly isFresh: boolean
  /** [Z11] Reads the cookies and storage that it begins with; left out: it has no profile. */
  readonly profile?: () => Promise<ProfileValues | null>
}

/** What no context of a browser reaches. */
export type Bounds = Omit<ProxyRules, 'domains'>

const CANNOT_CONFINE = 'The browser could not keep this task within its domains.'
const NO_CONTEXT = 'The browser could not open a context for this task.'

/**
 * [F3, Z6] Tasks that have a browser context of their own: cookies, storage, cache and downloads that no other task sees,
 * and, for tasks that are confined to domains, a proxy that knows these alone. [Z15] In a browser that opens no private
 * addresses each has a proxy: there is no way past it.
 */
export class TaskContexts<Context extends Closeable> {
  readonly #tasks = new Map<string, Promise<TaskContext<Context>>>()
  #bounds: Bounds = { addresses: null, refusalOf: null }
  /** [Z15] Of all tasks that have no domains; opened for the first of them. */
  #egress: Promise<AllowingProxy> | null = null
  readonly #open: (needs: ContextNeeds, proxyUrl: string | null, values: ProfileValues | null) => Promise<Context>

  /** `open` makes a context; with a proxy its every connection goes through that. */
  constructor(open: (needs: ContextNeeds, proxyUrl: string | null, values: ProfileValues | null) => Promise<Context>) {
    this.#open = open
  }

  /** Bounds that hold for every context from here on, whatever its domains. */
  bound(bounds: Bounds): void {
    this.#bounds = bounds
  }

  async of(taskId: string): Promise<Context | undefined> {
    return (await this.#tasks.get(taskId))?.context
  }

  /** Throws a ToolError, and opens nothing, when there can be no such context. */
  async begin(taskId: string, needs: ContextNeeds): Promise<void> {
    const begun = this.#tasks.get(taskId) ?? this.#begin(needs)
    this.#tasks.set(taskId, begun)
    await begun.catch((error) => {
      this.#tasks.delete(taskId)
      throw error
    })
  }

  async #begin(needs: ContextNeeds): Promise<TaskContext<Context>> {
    const values = (await needs.profile?.()) ?? null
    const { domains } = needs
    const proxy = domains === null ? null : await openAllowingProxy({ domains, ...this.#bounds })
    const shared = proxy === null && this.#bounds.addresses !== null ? await this.#sharedProxy() : null
    try {
      return { context: await this.#open(needs, (proxy ?? shared)?.url ?? null, values), proxy }
    } catch (error) {
      await proxy?.close()
      // [Z12] What the browser says of a profile may quote its values.
      const said = needs.profile ? '' : error instanceof Error ? error.message : String(error)
      throw new ToolError(proxy ? CANNOT_CONFINE : NO_CONTEXT, said)
    }
  }

  #sharedProxy(): Promise<AllowingProxy> {
    this.#egress ??= openAllowingProxy({ domains: null, ...this.#bounds })
    return this.#egress
  }

  async end(taskId: string): Promise<void> {
    const ended = await this.#tasks.get(taskId)?.catch(() => null)
    this.#tasks.delete(taskId)
    await ended?.context.close().catch(() => {})
    await ended?.proxy?.close()
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#tasks.keys()].map((taskId) => this.end(taskId)))
    await (await this.#egress?.catch(() => null))?.close()
  }
}
