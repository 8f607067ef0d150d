/** What the pages of this extension, and its script in a pairing page, tell its worker. */

/** From the side panel, the options and the windows that ask. */
export type FromOwnPage =
  | ({ readonly type: 'start' } & NewTask)
  /** [U10] A file for a task to come, its bytes in base64. Answered by `Uploaded`. */
  | { readonly type: 'upload'; readonly name: string; readonly data: string }
  /** [I1] What the user says to a task that runs. */
  | { readonly type: 'say'; readonly taskId: string; readonly text: string }
  /** [I9] The user's answer to what a task asks. */
  | {
      readonly type: 'input'
      readonly taskId: string
      readonly inputId: string
      readonly action: 'accept' | 'decline'
      readonly content: string | null
      /** [I13] The approval holds for the rest of the task. */
      readonly forTask: boolean
    }
  | { readonly type: 'take-over' | 'hand-back' | 'stop' | 'show'; readonly taskId: string }
  /** A pairing link, as pasted. */
  | { readonly type: 'paste'; readonly link: string }
  | { readonly type: 'connect' }
  /** The list of tasks is asked for again. */
  | { readonly type: 'refresh' }
  | { readonly type: 'forget' }
  /** From the window that asks for consent. */
  | { readonly type: 'question' }
  | { readonly type: 'answer'; readonly agreed: boolean }

/** [I5] Which actions of a task need the user's approval. */
export type Approvals = 'never' | 'irreversible' | 'always'

/** A task as the user wants it; without terms it has those of the task that it continues. */
export interface NewTask {
  readonly task: string
  readonly approvals?: Approvals
  readonly askUser?: boolean
  readonly allowedDomains?: readonly string[]
  readonly continueTaskId?: string
  /** [X1] They go to the service with the start, and are kept nowhere here. */
  readonly secrets?: readonly object[]
  /** [U10] */
  readonly files?: readonly { readonly fileId: string }[]
}

/** What went wrong, in a sentence for the user; `null` when nothing did. */
export interface Done {
  readonly error: string | null
}

export interface Uploaded extends Done {
  readonly fileId?: string
}

/** What the user is asked before a pairing. */
export interface Question {
  readonly origin: string
  /** What the service says of the link; `null` when it says nothing, and then nothing can be agreed to. */
  readonly link: LinkInfo | null
  /** The service that this browser is paired with now, and its workspace. */
  readonly current: { readonly origin: string; readonly workspace: string | null } | null
}

/** A pairing link, as the service describes it from its record. */
export interface LinkInfo {
  readonly workspace: string
  readonly createdBy: string | null
  /** As given by who made the link. */
  readonly label: string | null
}

/** From the script in a pairing page. The worker reads address and tab from who sent it, never from what it says. */
export type FromPairingPage = { readonly type: 'page.here' } | { readonly type: 'page.pair' }

/** What a pairing page may know of this extension. */
export interface PageState {
  /** `paired`: with this very service. */
  readonly state: 'ready' | 'paired'
  readonly workspace: string | null
  /** The user pasted this link in the extension: nothing more is to be clicked in the page. */
  readonly asked: boolean
}

/** To the script in a pairing page. */
export type ToPairingPage =
  | { readonly type: 'describe'; readonly origin: string; readonly token: string }
  | { readonly type: 'register'; readonly origin: string; readonly token: string }
  | { readonly type: 'declined' }
  | { readonly type: 'paired'; readonly workspace: string | null }

export type Registered =
  | { readonly ok: true; readonly sessionId: string; readonly sessionToken: string; readonly relayPort?: number }
  | { readonly ok: false; readonly error: string }

export const PAIRING_CODE = /^svc_pair_[\da-f]{64}$/
const PATH = '/pair/'

/** Origin and token of a pairing link; `null` if it is not one. */
export function pairingLink(address: string): { readonly origin: string; readonly token: string } | null {
  if (!URL.canParse(address)) return null
  const { protocol, origin, pathname } = new URL(address)
  const token = pathname.slice(PATH.length)
  if (!pathname.startsWith(PATH) || !PAIRING_CODE.test(token)) return null
  return protocol === 'https:' || protocol === 'http:' ? { origin, token } : null
}
