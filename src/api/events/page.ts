import type { LogType } from '../../../machines/task-log.ts'
import type { Response } from '../../net/transport.ts'
import { EVENTS_PAGE_CHARS_MAX, EVENTS_READ_MAX } from '../limits.ts'
import { jsonText } from '../replies.ts'
import type { Feed } from './feed.ts'

/** [V5] The events behind a cursor: at most `limit`, and no more than a page may be long. */
export async function pageOf(
  feed: Feed,
  after: number,
  { limit, types }: { limit: number; types: ReadonlySet<LogType> | null },
): Promise<Response> {
  const events: string[] = []
  let cursor = after
  let chars = 0
  const body = (hasMore: boolean) => {
    const list = `[${events.join(',')}]`
    return jsonText(200, `{"data":${list},"next_cursor":${cursor},"has_more":${hasMore},"events":${list}}`)
  }
  for (;;) {
    const items = await feed.read(cursor, EVENTS_READ_MAX)
    for (const item of items) {
      if (events.length === limit || chars > EVENTS_PAGE_CHARS_MAX) return body(true)
      cursor = item.cursor
      if (types !== null && !types.has(item.event.type)) continue
      const json = feed.jsonOf(item)
      events.push(json)
      chars += json.length
    }
    if (items.length === 0) cursor = Math.min(cursor, await feed.now())
    if (items.length < EVENTS_READ_MAX) return body(false)
  }
}
