import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError, readConfig } from '../../src/config/config.ts'

const test = suite('config')

/** The one line that a start with this environment ends with. */
function refusal(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    assert.instance(error, ConfigError)
    const { message } = error as ConfigError
    assert.not.match(message, /\n/)
    return message
  }
  return assert.unreachable(`accepted: ${JSON.stringify(env)}`) as never
}

test('[N1] has the defaults of the configuration table', () => {
  const config = readConfig({})
  assert.is(config.production, false)
  assert.is(config.port, 3456)
  assert.is(config.relayPort, 7862)
  assert.is(config.dataDir, './data')
  assert.is(config.mongodbUrl, null)
  assert.equal(config.llm, {
    provider: 'scripted',
    model: null,
    baseUrl: null,
    apiKey: null,
    ...{ script: null, choices: [], small: null, effort: null, fallback: null, prices: null },
  })
  assert.equal(config.auth, { secret: null, url: null, google: null, oidc: null })
  assert.is(config.billing, null)
  assert.equal(config.allowedOrigins, [])
  assert.is(config.webhookAllowPrivate, true)
  assert.equal([config.webhookAllowCidrs, config.secretsKey], [[], null])
  assert.is(config.scheduleFile, null)
  assert.is(config.retentionDays, 30)
  assert.is(config.inspectPort, null)
  assert.equal([config.transport, config.logLevel], [null, 'info'])
  assert.is(config.version, 'dev')
})

test('[N2] binds to loopback in production, to every interface otherwise', () => {
  assert.is(readConfig({ NODE_ENV: 'production' }).host, '127.0.0.1')
  assert.ok(['::', '0.0.0.0'].includes(readConfig({}).host))
  assert.is(readConfig({ NODE_ENV: 'production', HOST: '0.0.0.0' }).host, '0.0.0.0')
})

test('[N7] lets webhooks reach private addresses outside production only, unless told', () => {
  assert.is(readConfig({ NODE_ENV: 'production' }).webhookAllowPrivate, false)
  assert.is(readConfig({ NODE_ENV: 'production', WEBHOOK_ALLOW_PRIVATE: 'on' }).webhookAllowPrivate, true)
  assert.is(readConfig({ WEBHOOK_ALLOW_PRIVATE: '0' }).webhookAllowPrivate, false)
})

test('[N9] takes on and off in six spellings and no other', () => {
  for (const on of ['true', '1', 'on']) assert.is(readConfig({ WEBHOOK_ALLOW_PRIVATE: on }).webhookAllowPrivate, true)
  for (const off of ['false', '0', 'off']) {
    assert.is(readConfig({ WEBHOOK_ALLOW_PRIVATE: off }).webhookAllowPrivate, false)
  }
  assert.is(
    refusal({ WEBHOOK_ALLOW_PRIVATE: 'yes' }),
    'WEBHOOK_ALLOW_PRIVATE "yes" is not valid: expected true, false, 1, 0, on or off',
  )
})

test('reads an empty value as none', () => {
  assert.is(readConfig({ PORT: '', MONGODB_URL: '  ', LLM_PROVIDER: '' }).port, 3456)
})

test('[N8] refuses each value that does not parse, naming setting, value and what is accepted', () => {
  const bad: Record<string, string[]> = {
    PORT: ['x', '-1', '65536', '1.5', '1e3', '0x10', '3456 '.repeat(2)],
    RELAY_PORT: ['none', '70000'],
    HOST: ['http://here', 'two words'],
    MONGODB_URL: ['postgres://localhost', 'mongodb://'],
    LLM_PROVIDER: ['anthropc', 'Anthropic'],
    LLM_BASE_URL: ['localhost:9000', 'ftp://x.example'],
    BETTER_AUTH_URL: ['app.example'],
    FREE_TASKS_PER_MONTH: ['-1', '2.5', 'many'],
    ALLOWED_ORIGINS: ['*', 'https://app.example/path', 'https://a.example,nonsense'],
    WEBHOOK_ALLOW_PRIVATE: ['yes', '2'],
    WEBHOOK_ALLOW_CIDRS: ['everyone', 'loopback', '10.0.0.0/33', 'hooks.example'],
    BROWSER_ALLOW_CIDRS: ['everyone', 'loopback', '10.0.0.0/33', 'wiki.example'],
    RETENTION_DAYS: ['0', '-3', 'forever'],
    INSPECT_WS: ['0', 'true'],
    TRANSPORT: ['uWebSockets'],
    LOG_LEVEL: ['verbose'],
    PUBLIC_URL: ['app.example'],
    TRUSTED_PROXIES: ['everyone', '10.0.0.0/33', '10.0.0.0/', '1.2.3'],
    HOSTS: ['https://app.example', 'app.example:80', 'a b'],
  }
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) {
      const message = refusal({ [name]: value })
      assert.ok(message.startsWith(`${name} `), message)
      assert.match(message, /is not valid: expected \S/)
      if (name !== 'MONGODB_URL') assert.ok(message.includes(JSON.stringify(value.trim())), message)
    }
  }
})

test('[Z15] which private addresses browsers may open in production; outside of it, and for the demo, it warns', () => {
  const given = { BROWSER_ALLOW_CIDRS: '10.1.0.0/16, fd00::/8' }
  const production = { NODE_ENV: 'production' }
  const about = (env: Record<string, string>, name: RegExp) =>
    readConfig(env).warnings.filter((line) => name.test(line)).length
  assert.equal(readConfig({ ...production, ...given }).browserAllowCidrs, ['10.1.0.0/16', 'fd00::/8'])
  assert.equal(readConfig(production).browserAllowCidrs, [])
  assert.equal(
    [about(given, /^BROWSER_ALLOW_CIDRS/), about({ ...production, ...given }, /^BROWSER_ALLOW_CIDRS/)],
    [1, 0],
  )
  assert.is(about({ BROWSER_ALLOW_CIDR: '10.1.0.0/16' }, /^BROWSER_ALLOW_CIDR is not a setting/), 1)
  const demo = { ...production, DEMO: 'on' }
  assert.equal(
    [about(demo, /^DEMO/), about({ ...demo, BROWSER_ALLOW_CIDRS: '127.0.0.1' }, /^DEMO/), about(production, /^DEMO/)],
    [1, 0, 0],
  )
})

test('never shows a secret', () => {
  assert.not.match(refusal({ MONGODB_URL: 'mongo://ann:hunter2@db' }), /hunter2/)
  assert.not.match(refusal({ LLM_BASE_URL: 'htp://ann:hunter2@llm' }), /hunter2/)
  assert.not.match(refusal({ LLM_API_KEY: 'hunter2' }), /hunter2/)
})

test('shows only the beginning of a very long value', () => {
  assert.ok(refusal({ LOG_LEVEL: 'x'.repeat(100_000) }).length < 250)
})

test('[N4] chooses the provider by the key that is set', () => {
  const all = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', GOOGLE_GENERATIVE_AI_API_KEY: 'g' }
  assert.is(readConfig(all).llm.provider, 'anthropic')
  assert.is(readConfig({ ...all, ANTHROPIC_API_KEY: '' }).llm.provider, 'openai')
  assert.is(readConfig({ GOOGLE_GENERATIVE_AI_API_KEY: 'g' }).llm.provider, 'google')
  assert.is(readConfig({ ...all, LLM_PROVIDER: 'openai' }).llm.apiKey, 'o')
  assert.is(readConfig({ ...all, LLM_PROVIDER: 'openai', LLM_API_KEY: 'k' }).llm.apiKey, 'k')
  assert.is(readConfig({ ...all, LLM_PROVIDER: 'scripted' }).llm.apiKey, null)
})

test('[N4] refuses a provider without what it needs, naming both settings', () => {
  assert.match(refusal({ LLM_PROVIDER: 'anthropic' }), /LLM_PROVIDER.*ANTHROPIC_API_KEY/)
  assert.match(refusal({ LLM_PROVIDER: 'openai', ANTHROPIC_API_KEY: 'a' }), /LLM_PROVIDER.*OPENAI_API_KEY/)
  assert.match(refusal({ LLM_PROVIDER: 'google' }), /LLM_PROVIDER.*GOOGLE_GENERATIVE_AI_API_KEY/)
  assert.match(refusal({ LLM_PROVIDER: 'openai-compatible' }), /LLM_PROVIDER.*LLM_BASE_URL/)
  assert.match(
    refusal({ LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: 'http://127.0.0.1:9/v1' }),
    /LLM_PROVIDER.*LLM_MODEL/,
  )
  assert.match(refusal({ LLM_API_KEY: 'k' }), /LLM_API_KEY.*LLM_PROVIDER/)
})

test('an openai-compatible server needs no key', () => {
  const llm = { LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'm' }
  assert.equal(readConfig(llm).llm, {
    provider: 'openai-compatible',
    model: 'm',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: null,
    ...{ script: null, choices: [], small: null, effort: null, fallback: null, prices: null },
  })
})

test('[L45 L46] LLM_EFFORT is low, medium or high; LLM_SMALL_MODEL is any model', () => {
  const key = { ANTHROPIC_API_KEY: 'a' }
  const { effort, small } = readConfig({ ...key, LLM_EFFORT: 'high', LLM_SMALL_MODEL: 'claude-haiku-5-5' }).llm
  assert.equal([effort, small], ['high', 'claude-haiku-5-5'])
  assert.match(refusal({ ...key, LLM_EFFORT: 'hard' }), /LLM_EFFORT "hard".*low, medium, high/)
})

test('[L17] a fallback names its provider and model; its key is the provider’s own unless one is given', () => {
  const first = { LLM_PROVIDER: 'anthropic', ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }
  const fallback = (set: Record<string, string>) => readConfig({ ...first, ...set }).llm.fallback
  assert.is(fallback({}), null)
  assert.equal(fallback({ LLM_FALLBACK: 'openai:gpt-6-sol' }), {
    provider: 'openai',
    model: 'gpt-6-sol',
    baseUrl: null,
    apiKey: 'o',
  })
  assert.is(fallback({ LLM_FALLBACK: 'openai', LLM_FALLBACK_API_KEY: 'own' })?.apiKey, 'own')
  assert.match(refusal({ ...first, LLM_FALLBACK: 'opnai:x' }), /LLM_FALLBACK "opnai:x".*expected/)
  assert.match(refusal({ ...first, LLM_FALLBACK: 'google' }), /LLM_FALLBACK.*GOOGLE_GENERATIVE_AI_API_KEY/)
  assert.match(refusal({ ...first, LLM_FALLBACK: 'openai-compatible:m' }), /LLM_FALLBACK_BASE_URL/)
  assert.match(
    refusal({ ...first, LLM_FALLBACK: 'openai-compatible', LLM_FALLBACK_BASE_URL: 'http://127.0.0.1:9/v1' }),
    /a model after the colon/,
  )
})

test('[N8] refuses one port for two listeners, but for 0', () => {
  assert.match(refusal({ PORT: '7862' }), /PORT and RELAY_PORT/)
  const free = readConfig({ PORT: '0', RELAY_PORT: '0' })
  assert.equal([free.port, free.relayPort], [0, 0])
})

test('reads origins as browsers send them', () => {
  assert.equal(
    readConfig({ ALLOWED_ORIGINS: 'https://App.example/, http://a.example:8080 ,chrome-extension://abcdef,' })
      .allowedOrigins,
    ['https://app.example', 'http://a.example:8080', 'chrome-extension://abcdef'],
  )
})

test('[N11] reads where clients find the service', () => {
  const { publicUrl, trustedProxies, hosts, auth } = readConfig({ PUBLIC_URL: 'https://App.example/x' })
  assert.equal([publicUrl, auth.url, hosts], ['https://app.example', 'https://app.example', []])
  assert.equal(trustedProxies, ['127.0.0.0/8', '::1'])
  assert.is(readConfig({ BETTER_AUTH_URL: 'https://app.example' }).publicUrl, 'https://app.example')
  assert.equal(readConfig({ TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,fd00::/8, 192.0.2.7' }).trustedProxies, [
    '127.0.0.0/8',
    '::1',
    '10.0.0.0/8',
    'fd00::/8',
    '192.0.2.7',
  ])
  assert.equal(readConfig({ TRUSTED_PROXIES: 'none' }).trustedProxies, [])
  assert.equal(readConfig({ HOSTS: 'App.example, *.app.example' }).hosts, ['app.example', '*.app.example'])
  assert.equal(readConfig({}).hosts, [])
  assert.equal(readConfig({ NODE_ENV: 'production' }).hosts, ['*'])
  assert.equal(readConfig({ NODE_ENV: 'production', PUBLIC_URL: 'https://app.example' }).hosts, [])
})

test('[N12] warns of an unknown NODE_ENV, and of being reachable outside production', () => {
  const said = (env: Record<string, string>) =>
    readConfig({ ANTHROPIC_API_KEY: 'a', HOST: '127.0.0.1', ...env }).warnings
  assert.match(said({ NODE_ENV: 'Production' })[0] ?? '', /^NODE_ENV is "Production", .* runs in development mode/)
  for (const known of ['test', 'development']) assert.equal(said({ NODE_ENV: known }), [])
  for (const host of [{ HOST: '0.0.0.0' }, { HOST: '10.0.0.2' }, { PUBLIC_URL: 'https://app.example' }]) {
    assert.match(said(host)[0] ?? '', /NODE_ENV is not production/)
  }
  for (const host of [{ HOST: '127.0.0.1' }, { HOST: '::1' }, { PUBLIC_URL: 'http://localhost:3456' }, {}]) {
    assert.equal(said(host), [])
  }
  const open = readConfig({ ANTHROPIC_API_KEY: 'a' }).warnings
  assert.match(open[0] ?? '', /^HOST is not set: the service listens on all interfaces .* can sign up/)
})

test('[A27] in production strangers make no account unless it is said, and it is warned of where tasks are free', () => {
  const production = {
    NODE_ENV: 'production',
    ANTHROPIC_API_KEY: 'a',
    BETTER_AUTH_SECRET: 's'.repeat(32),
    HOSTS: 'a.example',
  }
  assert.equal([readConfig({}).signUp, readConfig(production).signUp], [true, false])
  const open = readConfig({ ...production, SIGN_UP: 'on' })
  assert.is(open.signUp, true)
  assert.match(open.warnings.join(), /^SIGN_UP is on and billing is not configured/)
  assert.equal(readConfig({ ...production, SIGN_UP: 'on', PAYMENT_WEBHOOK_SECRET: 'w' }).warnings, [])
})

test('[N17] a name that begins like a setting and is none is warned of', () => {
  const env = { ANTHROPIC_API_KEY: 'a', HOST: '127.0.0.1', LLM_MODLE: 'm', MONGODB_URI: 'mongodb://db', PATH: '/bin' }
  assert.equal(
    readConfig(env).warnings.map((line) => line.split(' ')[0]),
    ['LLM_MODLE', 'MONGODB_URI'],
  )
})

test('[N17] in production a secret for sign-in of fewer than 32 characters ends the start, and is not shown', () => {
  const env = { NODE_ENV: 'production', BETTER_AUTH_SECRET: 'rather-short' }
  assert.match(refusal(env), /^BETTER_AUTH_SECRET \(value not shown\) is not valid: expected 32 characters/)
})

test('reads where browsers reach the service as an origin', () => {
  for (const url of ['https://app.example', 'https://app.example/', 'https://APP.example:443/api/auth']) {
    assert.is(readConfig({ BETTER_AUTH_URL: url }).auth.url, 'https://app.example')
  }
})

test('[B1] [N6] is billing only with the webhook secret, 20 free tasks a month unless told', () => {
  assert.equal(readConfig({ PAYMENT_WEBHOOK_SECRET: 'whsec' }).billing, { webhookSecret: 'whsec', freePerMonth: 20 })
  assert.is(readConfig({ PAYMENT_WEBHOOK_SECRET: 'w', FREE_TASKS_PER_MONTH: '0' }).billing?.freePerMonth, 0)
  const alone = readConfig({ FREE_TASKS_PER_MONTH: '3' })
  assert.is(alone.billing, null)
  assert.ok(alone.warnings.some((line) => /FREE_TASKS_PER_MONTH.*PAYMENT_WEBHOOK_SECRET/.test(line)))
})

test('warns of what has no effect and of what surprises', () => {
  const warned = (env: Record<string, string>, about: RegExp) =>
    readConfig(env).warnings.some((line) => about.test(line))
  assert.ok(warned({}, /^No language model key/))
  assert.not.ok(warned({ ANTHROPIC_API_KEY: 'a' }, /^No language model key/))
  // The provider says itself that it plays one.
  assert.not.ok(warned({ LLM_SCRIPT: 'script.json' }, /^No language model key/))
  assert.ok(warned({ GOOGLE_CLIENT_ID: 'g' }, /GOOGLE_CLIENT_SECRET/))
  assert.ok(warned({ NODE_ENV: 'production' }, /BETTER_AUTH_SECRET/))
  assert.not.ok(warned({}, /BETTER_AUTH_SECRET/))
  assert.ok(warned({ BETTER_AUTH_SECRET: 'short' }, /BETTER_AUTH_SECRET/))
  assert.ok(warned({ LLM_MODEL: 'm' }, /LLM_MODEL/))
  const quiet = {
    ANTHROPIC_API_KEY: 'a',
    NODE_ENV: 'production',
    BETTER_AUTH_SECRET: 's'.repeat(32),
    HOSTS: 'a.example',
  }
  assert.equal(readConfig(quiet).warnings, [])
  assert.ok(warned({ NODE_ENV: 'production' }, /any Host/))
})

test.run()
