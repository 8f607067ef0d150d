import { DebugCookies } from '../../wire/account.ts'
import { COOKIE_CHARS_SHOWN } from '../limits.ts'
import { json } from '../replies.ts'
import { publicRoute } from '../route.ts'

/** [A20] Which cookies have arrived. */
export const debugCookiesRoute = publicRoute({
  method: 'GET',
  path: '/v1/debug-cookies',
  about: { summary: 'Show received cookies', tag: 'Service', answers: { 200: DebugCookies } },
  run: ({ request }) => json(200, cookiesOf(request.headers.cookie)),
})

/** [A24] Our own cookies let their holder in: this route, which answers pages of other origins, names them only. */
const OWN_COOKIE = /(?<=^|;)(\s*(?:__Host-|__Secure-)?(?:browser-task|better-auth)\.[^=;]*=)[^;]*/gi

function cookiesOf(header: string | undefined): DebugCookies {
  if (header === undefined) return { cookieNames: [], rawCookieHeader: '(none)' }
  const names = header.split(';').map((pair) => (pair.split('=')[0] ?? '').trim())
  const shown = header.replace(OWN_COOKIE, '$1(not shown)')
  return { cookieNames: names.filter((name) => name !== ''), rawCookieHeader: shown.slice(0, COOKIE_CHARS_SHOWN) }
}
