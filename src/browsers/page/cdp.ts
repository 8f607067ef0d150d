/**
 * The Chrome DevTools Protocol as the tools see it: one attached tab, its same-process frames included. The headless
 * runner and the extension (`chrome.debugger`) each implement it in a few lines.
 */
export interface Cdp {
  /** Rejects with the protocol's message, and when the tab is gone. */
  send(method: string, params?: object): Promise<unknown>
  /** Events come in the order in which the browser sent them. Answers the function that stops listening. */
  on(event: string, listener: (params: never) => void): () => void
}

/** What a tool could not do, in a sentence for the model to read; `content` holds the words of the page that belong to it. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly content: string

  constructor(message: string, content = '') {
    super(message)
    this.content = content
  }
}

export interface RemoteObject {
  readonly type: string
  readonly subtype?: string
  readonly className?: string
  readonly value?: unknown
  readonly unserializableValue?: string
  readonly description?: string
  readonly objectId?: string
}
export interface Evaluated {
  readonly result: RemoteObject
  readonly exceptionDetails?: { readonly text: string; readonly exception?: RemoteObject }
}
export interface AxValue {
  readonly type: string
  readonly value?: unknown
}
export interface AxNode {
  readonly nodeId: string
  readonly ignored: boolean
  readonly role?: AxValue
  readonly name?: AxValue
  readonly description?: AxValue
  readonly value?: AxValue
  readonly properties?: readonly { readonly name: string; readonly value: AxValue }[]
  readonly parentId?: string
  readonly childIds?: readonly string[]
  readonly backendDOMNodeId?: number
}
export interface Frame {
  readonly id: string
  readonly parentId?: string
  readonly loaderId: string
  readonly url: string
}
export interface FrameTree {
  readonly frame: Frame
  readonly childFrames?: readonly FrameTree[]
}
/** x1, y1, x2, y2, … in CSS pixels of the viewport. */
export type Quad = readonly number[]
interface Viewport {
  readonly pageX: number
  readonly pageY: number
  readonly clientWidth: number
  readonly clientHeight: number
}
/** As DOMSnapshot packs them: an attribute is two numbers, the places of its name and its value in `strings`. */
interface SnapshotDocument {
  readonly nodes: {
    readonly backendNodeId: readonly number[]
    readonly attributes?: readonly (readonly number[])[]
    readonly isClickable?: { readonly index: readonly number[] }
  }
}

/** The answers that are read. Methods that are not named here answer nothing of interest. */
export interface Answers {
  'Accessibility.getFullAXTree': { readonly nodes: readonly AxNode[] }
  'DOM.describeNode': { readonly node: { readonly backendNodeId: number; readonly nodeName: string } }
  'DOM.getContentQuads': { readonly quads: readonly Quad[] }
  'DOM.getFrameOwner': { readonly backendNodeId: number }
  'DOM.getNodeForLocation': { readonly backendNodeId: number; readonly frameId: string }
  'DOM.resolveNode': { readonly object: RemoteObject }
  'DOMSnapshot.captureSnapshot': {
    readonly documents: readonly SnapshotDocument[]
    readonly strings: readonly string[]
  }
  'Page.captureScreenshot': { readonly data: string }
  'Page.getFrameTree': { readonly frameTree: FrameTree }
  'Page.getLayoutMetrics': { readonly cssLayoutViewport: Viewport; readonly cssVisualViewport: Viewport }
  'Page.getNavigationHistory': {
    readonly currentIndex: number
    readonly entries: readonly { readonly id: number; readonly url: string; readonly title: string }[]
  }
  'Page.navigate': {
    readonly frameId: string
    readonly loaderId?: string
    readonly errorText?: string
    readonly isDownload?: boolean
  }
  'Runtime.awaitPromise': Evaluated
  'Runtime.callFunctionOn': Evaluated
  'Runtime.evaluate': Evaluated
}
export type Answer<M extends string> = M extends keyof Answers ? Answers[M] : unknown
