// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the changes are source text
/** Changes of one file, and the quick tests of which one has to fail at each. The first text is in the file once. */
export interface EdgeMutations {
  readonly file: string
  readonly tests: readonly string[]
  readonly changes: readonly (readonly [from: string, to: string])[]
}

const EDGE_TEST = 'test/api/edge.test.ts'
const GUARD = ['test/webhooks/address-guard.test.ts', EDGE_TEST]
const REQUEST_ORIGIN = ['test/api/request-origin.test.ts']
const HOLDS_TEST = 'test/browser/terms.test.ts'

export const EDGE: readonly EdgeMutations[] = [
  {
    file: 'src/api/cors.ts',
    tests: [EDGE_TEST],
    changes: [
      ['new URL(origin).host === host', 'new URL(origin).hostname === host?.split(":")[0]'],
      ['byOrigin.has(origin) || origin === own ||', 'origin === own ||'],
      ['origin === own || (', '('],
      ['new URL(publicUrl).origin', 'publicUrl'],
      ['(URL.canParse(origin) && new URL(origin).host === host)', 'URL.canParse(origin)'],
    ],
  },
  {
    file: 'src/web/html.ts',
    tests: [EDGE_TEST],
    changes: [
      [`  "frame-ancestors 'none'",\n`, ''],
      [`  "base-uri 'none'",\n`, ''],
      ["; form-action 'self'", ''],
      [`"script-src 'self'"`, `"script-src 'self' 'unsafe-inline'"`],
      [`"default-src 'none'"`, `"default-src 'self'"`],
      [`  ['X-Content-Type-Options', 'nosniff'],\n`, ''],
      [`  ['Cache-Control', 'no-store'],\n`, ''],
      [`  '"': '&quot;',\n`, ''],
      [`  "'": '&#39;',\n`, ''],
      [`  '<': '&lt;',\n`, ''],
      ['return escaped(String(part))', 'return String(part)'],
    ],
  },
  {
    file: 'src/api/foreign-origin.ts',
    tests: [EDGE_TEST],
    changes: [
      [`site !== undefined && site !== 'same-origin' && site !== 'none'`, `site === 'cross-site'`],
      ['return !cors.isOurs(headers.origin, headers.host)', 'return false'],
      [`if (method === 'GET' || method === 'HEAD') return false`, ''],
    ],
  },
  {
    file: 'src/web/viewer.ts',
    tests: [EDGE_TEST],
    changes: [
      ['now?.kind === viewer.kind && [...own].every', 'now?.kind === viewer.kind || [...own].every'],
      ['[...own].every((id) => now.workspaces', '[...own].some((id) => now.workspaces'],
      ['workspaceId !== null && own.has(workspaceId)', 'workspaceId !== null'],
    ],
  },
  {
    file: 'src/net/address-guard.ts',
    tests: GUARD,
    changes: [
      [
        `const withoutZone = address.replace(/%.*$/, '')\n  if (isIP(withoutZone) === 0) return false\n  const parsed = ipaddr.process(withoutZone)\n  if (TRANSLATED`,
        `const withoutZone = address\n  if (isIP(withoutZone) === 0) return true\n  const parsed = ipaddr.process(withoutZone)\n  if (TRANSLATED`,
      ],
      [`['rfc6052', 'rfc6145']`, `['rfc6145']`],
      [`['rfc6052', 'rfc6145']`, `['rfc6052']`],
      ['slice(12)', 'slice(0, 4)'],
      [` && !(parsed.kind() === 'ipv6' && parsed.match(IPV4_COMPATIBLE))`, ''],
      ['::/96', '::/120'],
      [`address.range() === 'unicast'`, `address.range() !== 'private'`],
      [`address.range() === 'unicast'`, `address.range() !== 'loopback'`],
      [`address.range() === 'unicast'`, `['unicast', 'linkLocal'].includes(address.range())`],
      [`address.range() === 'unicast'`, `['unicast', 'carrierGradeNat'].includes(address.range())`],
      [`address.range() === 'unicast'`, `['unicast', 'uniqueLocal'].includes(address.range())`],
      [`address.range() === 'unicast'`, `['unicast', 'unspecified'].includes(address.range())`],
      [`address.range() === 'unicast'`, `['unicast', 'multicast'].includes(address.range())`],
      ['if (allowPrivate) return () => true', ''],
      ['if (isPublicAddress(address)) return true', 'return true'],
      ['? 128 : 32', '? 64 : 16'],
      ['parsed.kind() === network.kind() && parsed.match(network, bits)', 'parsed.kind() === network.kind()'],
      ['address !== null && !guard(address)', 'address === null && !guard("")'],
      [`url.hostname.replace(/^\\[|\\]$/g, '')`, 'url.hostname'],
      ['!addresses.every(guard)', '!addresses.some(guard)'],
      ['if (!addresses.every(guard)) throw new PrivateAddressError()', ''],
    ],
  },
  {
    file: 'src/net/file-fetch.ts',
    tests: [EDGE_TEST],
    changes: [
      [`(to?.protocol === 'http:' && from.protocol === 'http:')`, `to?.protocol === 'http:'`],
      [` || to.username !== ''`, ''],
      [` || to.password !== ''`, ''],
      [`to?.protocol === 'https:' || (`, `to !== null || (`],
    ],
  },
  {
    file: 'src/net/file-fetch.ts',
    tests: ['test/api/routes/files-url.test.ts'],
    changes: [
      ['      assertAllowed(url, guard)\n', ''],
      ['if (size > bytesMax) throw new TooLarge()', ''],
    ],
  },
  {
    file: 'src/api/request-body.ts',
    tests: [EDGE_TEST],
    changes: [
      ['return slashes % 2 === 1', 'return slashes > 0'],
      ['return slashes % 2 === 1', 'return false'],
      ['if (outside > BODY_BYTES_MAX) return false', ''],
      ['if (end === -1) return false', 'if (end === -1) return true'],
      [`if (method !== 'POST') return BODY_BYTES_MAX`, ''],
      ['[^/]+\\/rerun$/', '.+\\/rerun$/'],
    ],
  },
  {
    file: 'src/api/events/viewer-output.ts',
    tests: [EDGE_TEST],
    changes: [
      ['now - this.#clearAt >= VIEWER_STALLED_MS_MAX', 'false'],
      ['events > VIEWER_WAITING_EVENTS_MAX ||', ''],
      ['|| chars > VIEWER_WAITING_BYTES_MAX', ''],
      ['!isAllowed && this.#stream.end()', 'undefined'],
      ['    this.#closed = true\n', ''],
      [`if (now - this.#wroteAt >= VIEWER_PING_MS) this.send(': ping\\n\\n')`, ''],
    ],
  },
  {
    file: 'src/api/routes/cursor.ts',
    tests: [EDGE_TEST],
    changes: [
      ['isOurs && cursorOf(position) === cursor', 'isOurs'],
      [' && isUuid(id)', ''],
      ['\\d{1,15}', '.{1,15}'],
    ],
  },
  {
    file: 'src/api/mcp/tools.ts',
    tests: [EDGE_TEST],
    changes: [
      ['if (event.step > told) await', 'await'],
      ['told = Math.max(told, event.step)', ''],
    ],
  },
  {
    file: 'src/relay/unregistered-sockets.ts',
    tests: [EDGE_TEST],
    changes: [
      ['    if (fromThere?.size === 0) this.#byAddress.delete(socket.ip)\n', ''],
      ['    fromThere?.delete(socket)\n', ''],
      ['fromThere.size > UNREGISTERED_PER_ADDRESS_MAX', 'false'],
      ['      this.delete(socket)\n', ''],
    ],
  },
  {
    file: 'src/api/routes/keys.ts',
    tests: [EDGE_TEST, 'test/api/routes/keys.test.ts', 'test/api/key-session.test.ts'],
    changes: [
      ['if (claim?.again) await', 'if (!claim) await'],
      ['keyId === null || byCookie', 'keyId === null'],
      ['keyId === null || byCookie', 'byCookie'],
    ],
  },
  {
    file: 'src/identity/roles.ts',
    tests: [EDGE_TEST],
    changes: [
      [`member: ['read', 'act']`, `member: ['read', 'act', 'manage']`],
      [`viewer: ['read']`, `viewer: ['read', 'act']`],
      ['members.includes(userId) ?', 'userId ?'],
      [`?? 'owner') : null`, `?? 'viewer') : null`],
    ],
  },
  {
    file: 'src/net/cookies.ts',
    tests: [EDGE_TEST],
    changes: [
      ['httpOnly: true', 'httpOnly: false'],
      [`sameSite: 'lax'`, `sameSite: 'none'`],
      ['    secure,\n', ''],
      [', { decode: (value) => value }', ''],
    ],
  },
  {
    file: 'src/net/windows.ts',
    tests: [EDGE_TEST],
    changes: [
      ['recent.length >= this.#max', 'recent.length > this.#max'],
      ['Math.abs(now - at) < this.#windowMs)\n', 'Math.abs(now - at) <= this.#windowMs)\n'],
      ['Math.abs(now - at)', '(now - at)'],
    ],
  },
  {
    file: 'src/net/hosts.ts',
    tests: REQUEST_ORIGIN,
    changes: [
      ['url?.href === `${url?.origin}/`', 'url'],
      [`!name.includes('.') ||`, ''],
      [`name.endsWith('.localhost') ||`, ''],
      ['.map((name) => name.slice(1))', '.map((name) => name.slice(2))'],
      ['exact.has(name) ||', ''],
      [`if (names.includes('*')) return () => true`, 'return () => true'],
    ],
  },
  {
    file: 'src/net/request-origin.ts',
    tests: REQUEST_ORIGIN,
    changes: [
      ['const believed = isTrusted(ip)', 'const believed = true'],
      [`.at(-1)?.trim()`, `.at(0)?.trim()`],
      ['if (!isTrusted(address)) break', ''],
      ['if (isIP(address) === 0) break', ''],
      ['url.href === `${url.origin}/`', 'true'],
      [`believed && lastOf(headers['x-forwarded-proto'])`, `lastOf(headers['x-forwarded-proto'])`],
    ],
  },
  {
    file: 'src/api/handle.ts',
    tests: REQUEST_ORIGIN,
    changes: [
      [`if (!surface.allowsHost(request.headers.host)) return refuse('host_not_allowed')`, ''],
      ['if (forwarded && !surface.allowsHost', 'if (false && !surface.allowsHost'],
    ],
  },
  {
    file: 'src/identity/read-tokens.ts',
    tests: ['test/api/routes/events.test.ts'],
    changes: [
      ['if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null', ''],
      ['id !== taskId || ', ''],
      [' || !(Number(expiresAt) > clock.now())', ''],
      [`if (keyId !== '' && (await store.keys.missing([keyId])).length > 0) return null`, ''],
      [' || rest.length > 0', ''],
      ['.update(said)', '.update(said.slice(0, 36))'],
    ],
  },
  {
    file: 'src/identity/password-guesses.ts',
    tests: ['test/identity/password-guesses.test.ts'],
    changes: [
      ['GUESSES_FREE = 5', 'GUESSES_FREE = 50'],
      ['if (wait === 0) keep(', 'if (wait < 0) keep('],
      ['GUESS_WAIT_MS_MIN * 2 **', 'GUESS_WAIT_MS_MIN * 1 **'],
      ['Math.min(GUESS_WAIT_MS_MAX, ', 'Math.max(0, '],
      ['    this.#tries.delete(this.#nameOf(account, address))\n', ''],
      ['this.#openedFrom.has(own) ? own : account', 'account'],
      ['this.#openedFrom.has(own) ? own : account', 'own'],
      ['at: Math.min(at, now)', 'at'],
      ['now - at < FORGOTTEN_AFTER_MS ?', 'true ?'],
      ['`user ${userId}`', 'userId.slice(0, 0)'],
    ],
  },
  {
    file: 'src/identity/sign-in-library.ts',
    tests: ['test/identity/password-guesses.test.ts'],
    changes: [
      ['String(context.body?.email).toLowerCase()', 'String(context.body?.email)'],
      ['if (wait > 0) throw tooManyGuesses(wait)', ''],
      [`if (context.path !== '/change-password') return null`, 'return null'],
    ],
  },
  {
    file: 'src/identity/sign-in-library.ts',
    tests: ['test/identity/oidc-lies.test.ts'],
    changes: [
      ['accountLinking: { enabled: false }', ''],
      ['subjectOf(answer, clientId, Date.now())', 'String((answer.profile as { sub?: string }).sub)'],
      ['return accountIdOf(issuer, subject)', 'return subject'],
    ],
  },
  {
    file: 'src/identity/oidc-claims.ts',
    tests: ['test/identity/oidc-lies.test.ts'],
    changes: [
      [`if (typeof exp !== 'number') throw new Error('no exp')`, ''],
      [`if (typeof iat !== 'number') throw new Error('no iat')`, ''],
      ['age < -CLOCK_SKEW_MS_MAX || ', ''],
      [' || age > ISSUED_AGO_MS_MAX', ''],
      ['azp !== undefined || isForOthersToo', 'azp !== undefined'],
      ['(azp !== undefined || isForOthersToo)', 'isForOthersToo'],
      [`if (person.sub !== sub) throw new Error('userinfo is of another subject')`, ''],
      ['person.email_verified !== true', '!person.email_verified'],
      [`typeof sub !== 'string' || sub.trim() === ''`, '!sub'],
      [' || sub !== subject', ''],
      ['iss !== issuer || ', ''],
      ['`${issuer} ${subject}`', 'subject'],
    ],
  },
  {
    file: 'src/api/billing/payment.ts',
    tests: ['test/api/billing/payment.test.ts'],
    changes: [
      ['Math.abs(Math.floor(now / 1000) - Number(time))', '(Math.floor(now / 1000) - Number(time))'],
      ['Math.abs(Math.floor(now / 1000) - Number(time)) > PAYMENT_TOLERANCE_S', 'false'],
      ['given.length === expected.length && timingSafeEqual(given, expected)', 'given.length === expected.length'],
      ['.update(`${time}.`)', ''],
      [`.filter(([name]) => name === 'v1')`, ''],
    ],
  },
  {
    file: 'src/wire/domains.ts',
    tests: ['test/api/routes/allowed-domains.test.ts'],
    changes: [
      [', { allowPrivateDomains: true }', ''],
      [`.replace(/:\\d+$/, '')`, ''],
      [`domain.startsWith('*.') ? domain.slice(2)`, `domain ? domain.replace('*.', '')`],
    ],
  },
  {
    file: 'machines/domains.ts',
    tests: ['test/machines/domains.test.ts'],
    changes: [
      [`(isAddress || !host.includes('.'))`, 'isAddress'],
      [`(isAddress || !host.includes('.'))`, `!host.includes('.')`],
      ['host.endsWith(`.${domain.host}`)', 'host.endsWith(domain.host)'],
      [' : host === `www.${domain.host}`', ' : host.endsWith(`.${domain.host}`)'],
      ['(domain.port || standard) !== port', 'domain.port !== "" && domain.port !== port'],
      [".replace(/\\.+$/, '')", ''],
      ["if (high === '') return host", 'return host'],
      [`host.replace(/[.[\\]]/g, '\\\\$&')`, 'host'],
      ['Number(port) > 65_535 || ', ''],
      ['standard !== undefined && ', ''],
    ],
  },
  {
    file: 'machines/secrets.ts',
    tests: ['test/machines/secrets.test.ts'],
    changes: [
      ['origins.length > 0 && ', ''],
      ['origins.every(', 'origins.some('],
      [`protocol === 'https:' || THIS_MACHINE`, `protocol !== 'ftp:' || THIS_MACHINE`],
      ['if (unknown !== undefined) return unknownSecret(unknown, secrets)', ''],
      ['.length > 0 ? MISPLACED : null', '.length > 9 ? MISPLACED : null'],
    ],
  },
  {
    file: 'machines/redaction.ts',
    tests: ['test/machines/redaction.test.ts', 'test/actors/secret-spellings.test.ts'],
    changes: [
      ['PART_CHARS = 8', 'PART_CHARS = 12'],
      ['[text(key), walk(value)]', '[key, walk(value)]'],
      [`if (typeof given === 'number') return number(given)`, ''],
      ['if (Array.isArray(given)) return given.map(walk)', 'if (Array.isArray(given)) return given'],
      ['if (tables.base64.size > 0) search(tables.base64, base64Letters(reading), found)', ''],
      ['if (tables.joined.size > 0) search(tables.joined, joinedLetters(folded), found)', ''],
      ["[reading, [...reading].reverse().join('')]", '[reading]'],
      ['last.end = Math.max(last.end, end)', ''],
    ],
  },
  {
    file: 'machines/approval.ts',
    tests: ['test/machines/approval.test.ts', 'test/machines/task-input.test.ts', 'test/actors/approved-calls.test.ts'],
    changes: [
      ['if (before.kind !== after.kind || before.shape !== after.shape) return null', ''],
      ['old === now ? []', 'old !== now ? []'],
      [`values.join(', ')`, `(values[0] ?? '')`],
      ['if (at >= 0) rest.splice(at, 1)', ''],
      ['after: without(after, before)', 'after: without(before, after)'],
      ['held: held && shown(held)', 'held'],
      ['fields.length > values.length ?', 'false ?'],
      [': value.length > MESSAGE_VALUE_CHARS_MAX', ': false'],
      [`.replaceAll(/[“”"]/g, "'")`, ''],
      ['held && sourceOf(held), changed && changeWords(changed)', 'changed && changeWords(changed)'],
    ],
  },
  {
    file: 'machines/agent-loop.ts',
    tests: ['test/machines/task-input.test.ts', 'test/actors/approved-calls.test.ts'],
    changes: [
      [`context.release?.action === 'accept' ? context.held : null`, 'null'],
      ['if (notApproved === null) return result', 'if (result) return result'],
    ],
  },
  {
    file: 'src/browser/holds/judge.ts',
    tests: [HOLDS_TEST],
    changes: [
      ['SAFE.has(method) && !overrides(request)', 'SAFE.has(method)'],
      [`given.approvals === 'always' || `, ''],
      ['if (isRedirect || ', 'if ('],
      [`!isSearch(url) || isArmed || addressNamesAct(url)`, '!isSearch(url)'],
      ['if (isArmed && LEADS.has(type)) return true', ''],
      [`if (isQuiet && type !== 'Document') return false`, 'if (isQuiet) return false'],
      ['isSameSite(url, page) && (isArmed || ', '(isArmed || '],
      ['isSameSite(url, page) && (isArmed || ', 'isSameSite(url, page) && ('],
      ['operations.every(', 'operations.some('],
      ['path.some((word) => ENDS.test(word)) || ', ''],
      [' || fields.some(saysAct)', ''],
      ['secrets.includes(value))', 'secrets.includes(value) || true)'],
    ],
  },
  {
    file: 'src/browser/holds/shape.ts',
    tests: [HOLDS_TEST],
    changes: [
      [`(ID.test(segment) ? '*' : segment)`, 'segment'],
      ['`${request.method} ${origin}', '`${origin}'],
      ['${origin}${path}', '${path}'],
      [`names === '' ?`, 'names ?'],
      [`kind !== 'mutation'`, `kind !== 'subscription'`],
      ['|#[^\\n\\r]*/g', '/g'],
    ],
  },
  {
    file: 'src/browser/holds/fields.ts',
    tests: [HOLDS_TEST],
    changes: [
      [`if (value !== '' && PRIVATE.test(name)) return '••••'`, ''],
      ['CARD.test(value.trim()) ?', 'false ?'],
      ['[...pairs(new URL(url).searchParams), ', '['],
    ],
  },
  {
    file: 'src/browser/holds/terms.ts',
    tests: [HOLDS_TEST],
    changes: [
      ['JSON.stringify(parts)', 'JSON.stringify(parts[0])'],
      ['  TIME.test(number) && ', '  false && '],
      [' && !CURRENCY_AFTER.test(after)', ''],
    ],
  },
  {
    file: 'src/browser/holds/holds.ts',
    tests: [HOLDS_TEST],
    changes: [
      ['targets.some(({ names }) => names.some(namesAct))', 'false'],
      ['names.some(namesAct))\n    this.#carries = null\n', 'names.some(namesAct))\n'],
      ['ends(): void {\n    this.#carries = null\n', 'ends(): void {\n'],
      ['this.#carries === null || !isSameSite(request.url, this.#carries)', 'this.#carries === null'],
      ['    this.#carries = null\n    return false', '    return false'],
      ['if (allowedShapes.includes(shape)) return false', ''],
      [`of.kind === 'request' ? of.request.fail() : true`, `of.kind === 'request' ? of.request.proceed() : true`],
      ['if (this.#isEnded) {', 'if (false) {'],
    ],
  },
  {
    file: 'src/browser/holds/execute.ts',
    tests: ['test/browser/holds.test.ts'],
    changes: [
      ['before.numbers)\n  if (now.terms !== terms) return again(hold, now)', 'before.numbers)'],
      [`if (action === 'decline') return drop(holds, work, hold, signal)`, ''],
      [`if (tool === 'javascript_tool' || gate.intent === 'irreversible') return true`, ''],
      ['if (approvedSite !== null &&', 'if (false &&'],
    ],
  },
  {
    file: 'src/identity/confirmation.ts',
    tests: ['test/api/routes/keys.test.ts', 'test/api/key-session.test.ts'],
    changes: [
      ['record?.workspaceId === workspaceId && !isPublishable(record)', 'record && !isPublishable(record)'],
      ['record?.workspaceId === workspaceId && !isPublishable(record)', 'record?.workspaceId === workspaceId'],
      [`if (shown && shown.waitMs > 0) return 'waiting'`, ''],
      ['shown?.isPassword || ', ''],
      ['shown?.hasPassword === false && shown.isFresh', 'shown?.isFresh'],
      ['shown?.hasPassword === false && shown.isFresh', 'shown?.hasPassword === false'],
    ],
  },
]
