import type { SocketHandlers } from '../../../src/net/transport.ts'
import type { RelaySocket, SocketState } from '../../../src/relay/socket-state.ts'
import { type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { Random } from '../random.ts'
import type { Life } from './life.ts'

/** The browser's end of a connection. */
export interface BrowserEnd {
  readonly open: boolean
  send(frame: object): void
  /** The browser closes it, or its cable is pulled: then the service hears of it when it looks. */
  close(how: 'closed' | 'pulled'): void
}

export interface BrowserSide {
  /** A frame has come. False: it is asleep, and the frame waits. */
  received(frame: Record<string, unknown>): void
  closed(code: number): void
  asleep(): boolean
}

export interface NetworkOptions {
  readonly scheduler: Scheduler
  readonly random: Random
  /** How likely a frame is lost, or comes twice, just now. */
  readonly trouble: () => { readonly lost: number; readonly doubled: number; readonly delayMs: number }
}

/**
 * Opens a connection from a browser to the relay of one process. Frames of a direction keep their order and take
 * their time; some are lost and some come twice. What is on its way when the connection ends never arrives.
 */
export function connect(
  { scheduler, random, trouble }: NetworkOptions,
  owner: Life,
  handlers: SocketHandlers<SocketState>,
  browser: BrowserSide,
): BrowserEnd {
  /** Whether each side takes the connection to be open. */
  const open = { service: true, browser: true }
  const lastDue = { up: 0, down: 0 }

  function carry(direction: 'up' | 'down', label: string, arrive: () => void): void {
    const { lost, doubled, delayMs } = trouble()
    if (random.chance(lost)) {
      scheduler.trace.happened(`lost ${label}`)
      return
    }
    for (let copies = random.chance(doubled) ? 2 : 1; copies > 0; copies--) {
      lastDue[direction] = Math.max(lastDue[direction], scheduler.time + random.between(0.1, 3 + delayMs))
      const after = lastDue[direction] - scheduler.time
      scheduler.after(after, direction === 'up' ? owner : THE_WORLD, `${direction} ${label}`, arrive)
    }
  }

  const socket: RelaySocket = {
    data: handlers.data(),
    ip: '127.0.0.1',
    admit: () => {},
    bufferedBytes: () => 0,
    send(...texts) {
      if (!open.service || !owner.alive) return false
      for (const text of texts) {
        const frame = JSON.parse(text)
        const arrive = () => {
          if (!open.browser) return
          // A sleeping machine leaves its frames in the socket.
          if (browser.asleep()) scheduler.after(500, THE_WORLD, `still ${frame.type}`, arrive)
          else browser.received(JSON.parse(text))
        }
        carry('down', labelOf(frame), arrive)
      }
      return true
    },
    close(code) {
      if (!open.service) return
      endService(code)
      scheduler.after(random.between(0.1, 50), THE_WORLD, `down close ${code}`, () => endBrowser(code))
    },
  }

  function endService(code: number): void {
    if (!open.service) return
    open.service = false
    owner.mourners.delete(reset)
    if (owner.alive) handlers.close(socket, code, '')
  }
  function endBrowser(code: number): void {
    if (!open.browser) return
    open.browser = false
    browser.closed(code)
  }

  const reset = () => scheduler.after(random.between(0.1, 1_500), THE_WORLD, 'down reset', () => endBrowser(1006))

  owner.mourners.add(reset)
  handlers.open(socket)
  return {
    get open() {
      return open.browser && open.service && owner.alive
    },
    send(frame) {
      if (!open.browser) return
      carry('up', labelOf(frame as Record<string, unknown>), () => {
        if (open.service) handlers.message(socket, JSON.stringify(frame))
      })
    },
    close(how) {
      endBrowser(0)
      if (how === 'closed') scheduler.after(random.between(0.1, 50), owner, 'up close', () => endService(1000))
    },
  }
}

const labelOf = (frame: Record<string, unknown>): string =>
  [frame.type, frame.requestId ?? frame.taskId].map((part) => String(part ?? '').slice(0, 16)).join(' ')
