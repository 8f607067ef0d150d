import type { Protocol } from 'devtools-protocol'
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js'
import type { ActReport } from '../../../machines/recipe.ts'
import type { ShrinkOptions } from '../shrink.ts'

/** One session of the Chrome DevTools Protocol: a tab, or a frame of it that lives in a process of its own. */
export interface CdpSession {
  /** Rejects with the protocol's message, and when the tab or the frame is gone. */
  send(method: string, params?: object): Promise<unknown>
  /** Events come in the order in which the browser sent them. Answers the function that stops listening. */
  on(event: string, listener: (params: never) => void): () => void
}

/** An attached tab. The headless runner and the extension (`chrome.debugger`) each implement it in a few lines. */
export interface Cdp extends CdpSession {
  /** The sessions of the cross-site frames that the tab has now, frames within frames included. Never rejects. */
  frameSessions(): Promise<readonly CdpSession[]>
  /** A smaller copy of a JPEG in base64, made outside the tab. */
  shrink(options: ShrinkOptions): Promise<string>
  /** Whether the tab is in the background of a window, where the browser draws no part of it enlarged. Left out: it never is. */
  isHidden?(): Promise<boolean>
}

/** What a tool could not do, in a sentence for the model to read; `content` holds the words of the page that belong to it. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly content: string
  /** [J7] Of an act of a recipe: why it was not done. */
  readonly act: ActReport | null

  constructor(message: string, content = '', act: ActReport | null = null) {
    super(message)
    this.content = content
    this.act = act
  }
}

export type Method = keyof ProtocolMapping.Commands
export type Params<M extends Method> = ProtocolMapping.Commands[M]['paramsType'][0]
export type Answer<M extends Method> = ProtocolMapping.Commands[M]['returnType']
export type RemoteObject = Protocol.Runtime.RemoteObject
export type Evaluated = Protocol.Runtime.EvaluateResponse
export type DragData = Protocol.Input.DragData
export type Frame = Protocol.Page.Frame
export type FrameTree = Protocol.Page.FrameTree
/** x1, y1, x2, y2, … in CSS pixels. */
export type Quad = readonly number[]
