import type { Elsewhere } from '../../../actors/inspection/elsewhere.ts'
import type { AccessScope, ActorDetail, ActorLine } from '../../../actors/inspection/shown.ts'
import type { Clock } from '../../../actors/runtime/ports.ts'
import { ELSEWHERE_READ_EVERY_MS } from './limits.ts'

/** What is read of other nodes for one viewer. */
export interface ElsewhereView {
  line(address: string): ActorLine | null
  /** What was read last and not taken yet; `null`: nothing is new. */
  takeDetail(): ActorDetail | null
  stop(): void
}

/**
 * [M8] Reads, every so often, the actors of the viewer's workspaces that other nodes own, or of one of them everything.
 * `noted` is told the addresses of what changed. A node that does not answer is asked again.
 */
export function viewElsewhere(
  { workspaces }: AccessScope,
  elsewhere: Elsewhere,
  clock: Clock,
  focus: string | null,
  noted: (address: string) => void,
): ElsewhereView {
  let lines = new Map<string, ActorLine>()
  let detail: ActorDetail | null = null
  let seq = -1
  let timer: unknown = null
  let isStopped = false

  async function readLines(away: readonly string[]): Promise<void> {
    const read = await Promise.all(
      away.map(async (workspaceId) => {
        const node = elsewhere.nodeOf(workspaceId)
        const found = await elsewhere.lines(workspaceId)
        return node === null ? [] : found.map((line) => ({ ...line, node }))
      }),
    )
    const before = lines
    lines = new Map(read.flat().map((line) => [line.address, line]))
    for (const [address, line] of lines) if (!isSame(line, before.get(address))) noted(address)
    for (const address of before.keys()) if (!lines.has(address)) noted(address)
  }

  async function readDetail(away: readonly string[], address: string): Promise<void> {
    for (const workspaceId of away) {
      const node = elsewhere.nodeOf(workspaceId)
      const found = await elsewhere.detail(workspaceId, address, seq)
      if (!found || node === null) continue
      const isNew = seq === -1 || found.transitions.length > 0 || found.messages.length > 0
      seq = Math.max(seq, 0, ...[...found.transitions, ...found.messages].map((each) => each.seq))
      if (!isNew) continue
      detail = { ...found, node }
      noted(address)
    }
  }

  const read = async () => {
    const away = workspaces.filter((id) => elsewhere.nodeOf(id) !== null)
    // It is asked again, and may have another owner by then.
    await (focus === null ? readLines(away) : readDetail(away, focus)).catch(() => {})
    if (!isStopped) timer = clock.setTimeout(read, ELSEWHERE_READ_EVERY_MS)
  }
  void read()

  return {
    line: (address) => lines.get(address) ?? null,
    takeDetail() {
      const taken = detail
      detail = null
      return taken
    },
    stop() {
      isStopped = true
      clock.clearTimeout(timer)
    },
  }
}

const isSame = (one: ActorLine, other: ActorLine | undefined): boolean => JSON.stringify(one) === JSON.stringify(other)
