import * as v from 'valibot'
import { OUTPUT_CHARS_MAX } from '../../machines/limits.ts'
import type { ActReport } from '../../machines/recipe.ts'
import { TO_BROWSER } from '../../machines/texts.ts'
import { REQUEST_ID_CHARS_MAX } from '../wire/limits.ts'
import { FromBrowser, type ToolResult } from '../wire/relay.ts'
import { createTask } from './create-task.ts'
import { fail } from './frame-limits.ts'
import { SCREENSHOT_BYTES_MAX } from './limits.ts'
import { answerLlmRequest } from './llm-request.ts'
import { answerPanel } from './panel.ts'
import type { RelayContext } from './relay.ts'
import type { RelaySocket } from './socket-state.ts'

/** One frame of a registered browser. The socket is the session: a frame that names another one is as if that did not exist. */
export function receive(relay: RelayContext, socket: RelaySocket, frame: unknown): void {
  const { session } = socket.data
  if (!session) return
  const parsed = v.safeParse(FromBrowser, frame)
  if (!parsed.success) {
    refuse(relay, socket, frame, parsed.issues[0])
    return
  }
  const message = parsed.output
  const foreign = namesAnother(frame, session.id)
  switch (message.type) {
    case 'ping':
      socket.send(JSON.stringify({ type: 'pong' }))
      relay.taskService.heard(session.id, relay.clock.now())
      break
    case 'pong':
      relay.taskService.heard(session.id, relay.clock.now())
      break
    case 'tool_result':
      if (!foreign) takeResult(relay, session.id, message)
      break
    case 'create_task':
      void createTask(relay, socket, message, foreign)
      break
    case 'llm_request':
      void answerLlmRequest(relay, socket, message, foreign)
      break
    case 'live_frame':
      if (!foreign) relay.live.shown(session.id, message.taskId, message.jpeg)
      break
    case 'picture':
      if (!foreign) relay.taskService.picture(session.id, message)
      break
    case 'list_tasks':
    case 'pause_task':
    case 'resume_task':
    case 'cancel_task':
    case 'answer_input':
    case 'send_message':
      void answerPanel(relay, socket, message, foreign)
      break
  }
}

/**
 * What is wrong with a frame is said; a call whose result cannot be read fails at once instead of running out of time, also when
 * the result does not name it and there is no other that it can be.
 */
function refuse(relay: RelayContext, socket: RelaySocket, frame: unknown, issue: v.BaseIssue<unknown>): void {
  const path = issue.path?.map(({ key }) => String(key)).join('.') ?? 'frame'
  const error = `Invalid ${path}: ${issue.message}`
  const { type, requestId } = (frame ?? {}) as { type?: unknown; requestId?: unknown }
  const session = socket.data.session
  if (type === 'tool_result' && session && !namesAnother(frame, session.id)) {
    const pending = relay.taskService.pendingCalls(session.id)
    const meant = typeof requestId === 'string' ? requestId : pending.length === 1 ? pending[0] : undefined
    if (meant !== undefined) fail(relay, session.id, meant, error)
  }
  if (session) {
    const isEchoed = typeof requestId === 'string' && requestId.length <= REQUEST_ID_CHARS_MAX
    relay.send(session.id, { type: 'error', error, ...(isEchoed ? { requestId } : {}) })
  }
}

const NAMING = ['targetSessionId', 'browserSessionId', 'sessionId'] as const

/** [R7] Whether a frame's own ids contradict the socket that it came through. */
function namesAnother(frame: unknown, sessionId: string): boolean {
  const named = frame as Record<string, unknown>
  return NAMING.some((key) => named[key] !== undefined && named[key] !== null && named[key] !== sessionId)
}

function takeResult(relay: RelayContext, sessionId: string, message: ToolResult): void {
  const { requestId, tabContext } = message
  if (message.load) relay.onLoad?.(message.load)
  const screenshot = message.screenshot ? message.screenshot.replace(/^data:[^,]*,/, '') || null : null
  const isUsable = screenshot === null || isJpeg(screenshot)
  if (!isUsable) relay.send(sessionId, { type: 'error', error: TO_BROWSER.invalidScreenshot, requestId })
  relay.taskService.toolResult(sessionId, {
    requestId,
    error: errorOf(message.error),
    output: message.result ?? message.output ?? null,
    screenshot: isUsable ? screenshot : null,
    tab: tabContext
      ? {
          tabId: tabContext.tabId ?? null,
          windowId: tabContext.windowId ?? null,
          browserSessionId: tabContext.browserSessionId ?? null,
        }
      : null,
    said: message.said ?? null,
    held: message.held ?? null,
    page: {
      ...(message.content ? { content: message.content } : {}),
      ...(message.fingerprint ? { fingerprint: message.fingerprint } : {}),
      ...(message.halts ? { halts: message.halts } : {}),
      ...(message.url ? { url: message.url } : {}),
      ...(message.act ? { act: message.act as ActReport } : {}),
    },
  })
}

/** [R49] Whether the text is base64 of something that starts like a JPEG and is not too large. */
const isJpeg = (base64: string): boolean =>
  base64.startsWith('/9j/') && base64.length <= SCREENSHOT_CHARS_MAX && BASE64.test(base64)
const SCREENSHOT_CHARS_MAX = Math.ceil(SCREENSHOT_BYTES_MAX / 3) * 4
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** [R14, T39] Absent or null is success; whatever else is a failure, put into words that are cut like any output. */
function errorOf(error: unknown): string | null {
  if (error === undefined || error === null) return null
  const { message = error } = error as { message?: unknown }
  const words = typeof message === 'string' ? message : JSON.stringify(error)
  return words.slice(0, OUTPUT_CHARS_MAX) || 'The tool failed'
}
