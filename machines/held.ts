/**
 * What a browser holds until its user approves it: a request at the network, or an act that was not carried out yet.
 * Service, headless browser and extension share this file.
 */

/** Announced by a browser, beside its tools, if it holds what the acts of a gated task cause. */
export const HOLDS = 'holds'

/** [I5] Which effects of a task are held. A task with `never` has none of these. */
export type HeldApprovals = 'irreversible' | 'always'

export interface HeldField {
  readonly name: string
  readonly value: string
}

/** One hold, as the browser reports it in the place of a result. */
export interface Held {
  /** Its own id: no other hold has it. */
  readonly id: string
  /** `request`: paused at the network, after the act that caused it. `act`: nothing was done yet. */
  readonly kind: 'request' | 'act'
  /** Of a request: `POST` and its like. Of an act: empty. */
  readonly method: string
  /** The origin that the request goes to; of an act: that of its page. */
  readonly site: string
  /** Without its query. */
  readonly path: string
  /**
   * What `for: "task"` allows: method, origin and path with ids and numbers as `*`, of GraphQL with the name of the
   * operation.
   */
  readonly shape: string
  /** What is acted on, read by ref from the browser at the moment of the act. */
  readonly target: { readonly role: string; readonly name: string } | null
  /** What will be sent. Passwords and secrets are masked. */
  readonly fields: readonly HeldField[]
  /** SHA-256 of target, form, fields, numbers around it and the shape of the body: the same one, the same terms. */
  readonly terms: string
  /** The numbers that went into `terms`, as they are shown. */
  readonly numbers: readonly string[]
}

/** The service's own call of a browser that holds: lets go of what is held, or drops it. Models cannot ask for it. */
export const RELEASE = 'release'

/** What a frame of a gated task says beside its call. */
export interface Gate {
  readonly approvals: HeldApprovals
  /** Shapes that the user has approved for the rest of the task. */
  readonly allowedShapes: readonly string[]
  /** The model says that the call cannot be undone. */
  readonly intent?: 'irreversible'
}
