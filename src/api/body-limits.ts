import { BODY_BYTES_MAX } from '../../machines/limits.ts'
import type { Request } from '../net/transport.ts'
import { isOfBrowserFiles } from '../wire/files.ts'
import { FILE_BYTES_MAX } from '../wire/limits.ts'
import { BROWSER_PROFILES_PATH } from '../wire/profiles.ts'
import { BODY_STRINGS_MAX, BODY_WITH_FILES_BYTES_MAX, PROFILE_BYTES_MAX } from './limits.ts'

/** [E8, U2, Z12] How large the body of a request may be: with files more than elsewhere. */
export function bodyBytesMax({ method, path }: Pick<Request, 'method' | 'path'>): number {
  if (method !== 'POST') return BODY_BYTES_MAX
  if (path === '/v1/files' || isOfBrowserFiles(path)) return FILE_BYTES_MAX
  if (path.startsWith(`${BROWSER_PROFILES_PATH}/`)) return PROFILE_BYTES_MAX
  const startsTask = path === '/v1/tasks' || /^\/v1\/tasks\/[^/]+\/rerun$/.test(path)
  return startsTask ? BODY_WITH_FILES_BYTES_MAX : BODY_BYTES_MAX
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Whether JSON that is larger than usual is so by a few long texts: parsing megabytes of small values would keep
 * everybody waiting.
 */
export function isFewTexts(json: Uint8Array): boolean {
  let outside = 0
  let at = 0
  for (let strings = 0; strings < BODY_STRINGS_MAX; strings++) {
    const begin = json.indexOf(QUOTE, at)
    outside += (begin === -1 ? json.length : begin) - at
    if (outside > BODY_BYTES_MAX) return false
    if (begin === -1) return true
    let end = begin
    do end = json.indexOf(QUOTE, end + 1)
    while (end !== -1 && isEscaped(json, end))
    if (end === -1) return false
    at = end + 1
  }
  return false
}

function isEscaped(json: Uint8Array, quote: number): boolean {
  let slashes = 0
  while (json[quote - 1 - slashes] === BACKSLASH) slashes++
  return slashes % 2 === 1
}
