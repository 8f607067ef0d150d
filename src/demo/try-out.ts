import type { Log, Model } from '../../actors/runtime/ports.ts'
import { openScripted } from '../models/scripted.ts'
import { DEMO_SCRIPT, DEMO_TASK } from './script.ts'
import type { Shop } from './shop.ts'

/** [P44] What a task may name as its model to have the script of the demo played. */
export const DEMO_MODEL = 'demo'

/** A start that the service can do without anything being set up. */
export interface Offer {
  readonly task: string
  /** The shop, which is on this machine. */
  readonly url: string
  readonly model: string
}

export interface TryOut {
  /** The service's model, beside which a task may choose that of the demo. */
  beside(model: Model): Model
  /** Opens the shop when it is first asked for; `null`: it could not be opened. */
  offer(): Promise<Offer | null>
  close(): Promise<void>
}

/** [P44] The demo's task for who has nothing set up yet: an ordinary task, with the demo's script as its model. */
export function openTryOut(log: Log): TryOut {
  let shop: Promise<Shop> | null = null
  return {
    beside: (model) => ({
      ...model,
      choices: new Map([...(model.choices ?? []), [DEMO_MODEL, openScripted(DEMO_SCRIPT, log, DEMO_MODEL)]]),
    }),
    async offer() {
      shop ??= import('./shop.ts').then(({ openShop }) => openShop())
      try {
        return { task: DEMO_TASK, url: (await shop).url, model: DEMO_MODEL }
      } catch (err) {
        shop = null
        log.warn({ err }, 'The shop of the demo could not be opened')
        return null
      }
    },
    close: async () => (await shop?.catch(() => null))?.close(),
  }
}
