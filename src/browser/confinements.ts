import { ToolError } from './act/cdp.ts'
import { type AllowingProxy, openAllowingProxy } from './allowing-proxy.ts'

interface Closeable {
  close(): Promise<unknown>
}
interface Confined<Context> {
  readonly context: Context
  readonly proxy: AllowingProxy
}

const CANNOT_CONFINE = 'The browser could not keep this task within its domains.'

/** [F3] Tasks that are confined to domains: each has a browser context of its own, behind a proxy that knows these alone. */
export class Confinements<Context extends Closeable> {
  readonly #tasks = new Map<string, Promise<Confined<Context>>>()
  readonly #open: (proxyUrl: string) => Promise<Context>

  /** `open` makes a context whose every connection goes through the proxy. */
  constructor(open: (proxyUrl: string) => Promise<Context>) {
    this.#open = open
  }

  async of(taskId: string): Promise<Context | undefined> {
    return (await this.#tasks.get(taskId))?.context
  }

  /** Throws a ToolError, and confines nothing, when there can be no such context. */
  async confine(taskId: string, domains: readonly string[]): Promise<void> {
    const confined = this.#tasks.get(taskId) ?? this.#begin(domains)
    this.#tasks.set(taskId, confined)
    await confined.catch((error) => {
      this.#tasks.delete(taskId)
      throw error
    })
  }

  async #begin(domains: readonly string[]): Promise<Confined<Context>> {
    const proxy = await openAllowingProxy(domains)
    try {
      return { context: await this.#open(proxy.url), proxy }
    } catch (error) {
      await proxy.close()
      throw new ToolError(CANNOT_CONFINE, error instanceof Error ? error.message : String(error))
    }
  }

  async end(taskId: string): Promise<void> {
    const confined = await this.#tasks.get(taskId)?.catch(() => null)
    this.#tasks.delete(taskId)
    await confined?.context.close().catch(() => {})
    await confined?.proxy.close()
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#tasks.keys()].map((taskId) => this.end(taskId)))
  }
}
