import { accountWarnings } from './accounts.ts'
import { llmOf } from './llm.ts'
import { isLoopback } from './network.ts'
import { Settings } from './settings.ts'

const ENVIRONMENTS = new Set(['production', 'development', 'test'])

/** What the names of our settings begin with, where nothing else on a machine is called so. */
const OWN_PREFIX =
  /^(?:BROWSER_ALLOW|LLM|OIDC|SMTP|MONGODB|NATS|WEBHOOK|PAYMENT|SCHEDULE|SECRETS|RETENTION|AUDIT|INSPECT|METRICS|RELAY|SIGN)_/

/** A setting that is spelt wrong has no effect, which its value cannot tell. */
export const unknownOf = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env)
    .filter((name) => OWN_PREFIX.test(name) && !(name in Settings.entries))
    .map((name) => `${name} is not a setting of this service: it has no effect.`)

/** What was set and has no effect, or is to be known before it surprises. */
export function warningsOf(set: Settings, production: boolean): string[] {
  const scripted = llmOf(set).provider === 'scripted'
  const ignored = (['LLM_MODEL', 'LLM_BASE_URL'] as const).filter((name) => set[name])
  const said: readonly (readonly [boolean, string])[] = [
    [scripted && !set.LLM_SCRIPT, 'No language model key is set: tasks are refused until there is one.'],
    [scripted && ignored.length > 0, `${ignored.join(' and ')} has no effect with the scripted provider.`],
    [
      !set.LLM_FALLBACK && !!(set.LLM_FALLBACK_BASE_URL || set.LLM_FALLBACK_API_KEY),
      'LLM_FALLBACK_BASE_URL and LLM_FALLBACK_API_KEY have no effect: LLM_FALLBACK is not set.',
    ],
    [!scripted && !!set.LLM_SCRIPT, 'LLM_SCRIPT has no effect: LLM_PROVIDER is not scripted.'],
    [
      set.FREE_TASKS_PER_MONTH !== undefined && !set.PAYMENT_WEBHOOK_SECRET,
      'FREE_TASKS_PER_MONTH has no effect: billing needs PAYMENT_WEBHOOK_SECRET.',
    ],
    [
      set.NODE_ENV !== undefined && !ENVIRONMENTS.has(set.NODE_ENV),
      `NODE_ENV is ${JSON.stringify(set.NODE_ENV)}, which is not one of ${[...ENVIRONMENTS].join(', ')}: the service runs in development mode.`,
    ],
    [
      !production && [set.HOST, set.PUBLIC_URL, set.BETTER_AUTH_URL].some((at) => at !== undefined && !isLoopback(at)),
      'HOST or PUBLIC_URL can be reached from other machines, but NODE_ENV is not production: webhooks may reach private addresses, and cookies are not Secure.',
    ],
    [
      !production && !set.HOST,
      'HOST is not set: the service listens on all interfaces of this machine, anyone who reaches it can sign up, and webhooks may reach private addresses. HOST=127.0.0.1 keeps it to this machine.',
    ],
    [
      !production && set.BROWSER_ALLOW_CIDRS !== undefined,
      'BROWSER_ALLOW_CIDRS has no effect: outside production the browsers of pools open private addresses, too.',
    ],
    [
      production && set.DEMO === true && !set.BROWSER_ALLOW_CIDRS?.some(isLoopback),
      "DEMO: the demo's shop cannot be opened, since browsers open no private addresses in production. BROWSER_ALLOW_CIDRS=127.0.0.1 lets them.",
    ],
    [
      production && set.SIGN_UP === true && !set.PAYMENT_WEBHOOK_SECRET,
      'SIGN_UP is on and billing is not configured: anyone who reaches this service can run tasks on its model key, at no cost to them.',
    ],
    [
      production && !set.HOSTS && !set.PUBLIC_URL && !set.BETTER_AUTH_URL,
      'Neither HOSTS nor PUBLIC_URL is set: requests with any Host header are accepted.',
    ],
    ...accountWarnings(set, production),
  ]
  return said.flatMap(([applies, sentence]) => (applies ? [sentence] : []))
}
