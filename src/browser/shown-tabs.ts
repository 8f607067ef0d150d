import type { ExecuteTool, ToBrowser } from '../wire/relay.ts'
import { TAKES_PICTURES } from '../wire/relay-live.ts'
import type { Cdp } from './act/cdp.ts'
import { LiveInputs } from './live-input.ts'
import { LiveViews } from './live-views.ts'
import { LIVE_PICTURE, pictureOf } from './picture.ts'
import { Pictures } from './pictures.ts'

export interface ShownTabsOptions {
  /** The protocol of the tab that a task works in; `null` when there is none to be shown. */
  readonly tabOf: (taskId: string) => Cdp | null | Promise<Cdp | null>
  /** False: the connection does not take it now. */
  readonly send: (frame: object) => boolean
  /** Is given each picture that is taken after a call. */
  readonly seen?: (taskId: string, jpeg: string) => void
}

/** What is shown of the tabs of tasks: live while somebody looks, who may click and type, and once after each call that acts. */
export class ShownTabs {
  readonly #live: LiveViews
  readonly #inputs: LiveInputs
  readonly #pictures: Pictures
  #takesPictures = false

  constructor({ tabOf, send, seen }: ShownTabsOptions) {
    this.#live = new LiveViews({ tabOf, send })
    this.#inputs = new LiveInputs(tabOf)
    this.#pictures = new Pictures({
      async take(taskId) {
        const cdp = await tabOf(taskId)
        return cdp && pictureOf(cdp, LIVE_PICTURE)
      },
      send,
      ...(seen ? { seen } : {}),
    })
  }

  heard(frame: ToBrowser): void {
    if (frame.type === 'registered') this.#takesPictures = frame.takes?.includes(TAKES_PICTURES) ?? false
    if (frame.type === 'live_start') this.#live.start(frame.taskId)
    if (frame.type === 'live_stop') this.#live.stop(frame.taskId)
    if (frame.type === 'live_input') this.#inputs.play(frame.taskId, frame.events)
  }

  before = (call: ExecuteTool): void => this.#pictures.before(call)

  /** A call has been carried out. */
  after(call: ExecuteTool, fingerprint: string | null): void {
    if (this.#takesPictures) this.#pictures.after(call, fingerprint)
  }

  ended(taskId: string): void {
    this.#live.stop(taskId)
    this.#inputs.ended(taskId)
    this.#pictures.ended(taskId)
  }

  /** There is no connection: the service knows of no viewers when it is back. */
  lost(): void {
    this.#live.stopAll()
  }
}
