import { isIP } from 'node:net'
import { HOSTS_REMEMBERED_MAX } from './limits.ts'

/** Whether a request may name this `Host`. */
export type AllowsHost = (host: string | undefined) => boolean

/**
 * [E19] Against DNS rebinding: a page on a name that its owner points at this machine is refused. Always allowed: an IP
 * address, `localhost` and what is below it, a name without a dot, and `own`; then what `names` lists, `*.example.com`
 * included. `names` with `*` allows every host.
 */
export function allowsHostOf(names: readonly string[], own: string | null): AllowsHost {
  if (names.includes('*')) return () => true
  const exact = new Set(names.filter((name) => !name.startsWith('*.')))
  const below = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1))
  if (own !== null) exact.add(new URL(own).hostname)
  const decided = new Map<string, boolean>()
  const decide = (host: string): boolean => {
    const name = nameOf(host)
    return (
      name !== null &&
      (isIP(name.replace(/^\[|\]$/g, '')) !== 0 ||
        !name.includes('.') ||
        name.endsWith('.localhost') ||
        exact.has(name) ||
        below.some((suffix) => name.endsWith(suffix)))
    )
  }
  return (host) => {
    if (host === undefined) return true
    const known = decided.get(host)
    if (known !== undefined) return known
    const isAllowed = decide(host)
    if (decided.size >= HOSTS_REMEMBERED_MAX) decided.clear()
    decided.set(host, isAllowed)
    return isAllowed
  }
}

/** Lower case, without port and final dot; `null` for what is not a host, or more than one, such as `a.example@b`. */
function nameOf(host: string): string | null {
  const text = `http://${host}`
  const url = URL.canParse(text) ? new URL(text) : null
  return url?.href === `${url?.origin}/` ? url.hostname.replace(/\.$/, '') : null
}
