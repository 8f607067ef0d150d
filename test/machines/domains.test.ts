import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { domainOf, expressionsOf, hostsOf, isWithin, sourcesOf } from '../../machines/domains.ts'

const test = suite('domains')

test('[F1] domains in every spelling', () => {
  for (const [text, domain] of [
    ['example.com', 'example.com'],
    [' Example.COM ', 'example.com'],
    ['*.example.com', '*.example.com'],
    ['example.com:8443', 'example.com:8443'],
    ['localhost:3000', 'localhost:3000'],
    ['127.0.0.1', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['[::1]:80', '[::1]:80'],
    ['[::ffff:10.1.2.3]', '10.1.2.3'],
  ] as const)
    assert.is(domainOf(text), domain, text)
  for (const text of [
    '',
    '*',
    '*.com',
    '*.127.0.0.1',
    'a.*.com',
    '*example.com',
    'https://example.com',
    'example.com/path',
    'example.com:0',
    'example.com:99999',
    'user@example.com',
    'exa mple.com',
    '.example.com',
    'example.com.',
    '999.1.1.1',
    '[::g]',
  ])
    assert.is(domainOf(text), null, text)
})

const WITHIN: readonly (readonly [domains: string[], inside: string[], outside: string[]])[] = [
  [
    ['example.com'],
    [
      'https://example.com/',
      'http://example.com',
      'https://www.example.com/x?y#z',
      'https://EXAMPLE.com./',
      'wss://example.com/s',
      'https://user:password@example.com/',
      'http://example.com:80/',
    ],
    [
      'https://shop.example.com/',
      'https://example.com:8443/',
      'http://example.com:443/',
      'https://example.com.evil.test/',
      'https://evilexample.com/',
      'https://example.com@evil.test/',
      'https://evil.test/example.com',
      'https://evil.test#example.com',
      'https://evil.test/?https://example.com/',
      'ftp://example.com/',
      'data:text/html,example.com',
      'blob:https://example.com/1',
      'javascript:example.com',
      'file:///example.com',
      'about:blank',
      'example.com',
      '',
    ],
  ],
  [
    ['*.example.com'],
    ['https://example.com/', 'https://a.example.com/', 'https://a.b.example.com./'],
    ['https://aexample.com/', 'https://example.com.evil.test/', 'https://evil.test/.example.com'],
  ],
  [
    ['example.com:8443', '127.0.0.1:3000'],
    [
      'https://example.com:8443/',
      'http://www.example.com:8443/',
      'http://127.0.0.1:3000/',
      'http://2130706433:3000/',
      'http://[::ffff:127.0.0.1]:3000/',
    ],
    [
      'https://example.com/',
      'http://127.0.0.1/',
      'http://127.0.0.1:3001/',
      'http://127.0.0.2:3000/',
      'http://localhost:3000/',
    ],
  ],
]
for (const [domains, inside, outside] of WITHIN)
  test(`[F1] [F3] what is within ${domains.join(', ')}, by its address and by the extension's expressions`, () => {
    const expressions = expressionsOf(domains).map((each) => new RegExp(each))
    const matches = (url: string) => URL.canParse(url) && expressions.some((each) => each.test(new URL(url).href))
    for (const url of inside) {
      assert.ok(isWithin(domains, url), url)
      // A mapped address is the one spelling that the expressions refuse.
      if (!url.includes('ffff')) assert.ok(matches(url), url)
    }
    for (const url of outside) {
      assert.not(isWithin(domains, url), url)
      assert.not(matches(url), url)
    }
  })

test('[F3] the hosts of domains', () => {
  assert.equal(hostsOf(['*.example.com', 'example.com:8443', 'a.test']), ['example.com', 'a.test'])
})

test('[F3] the sources that a content security policy has of domains', () => {
  const sources = (...domains: string[]) => sourcesOf(domains).join(' ')
  assert.is(sources('a.test'), 'http://a.test ws://a.test http://www.a.test ws://www.a.test')
  assert.is(sources('*.a.test:8443'), 'http://a.test:8443 ws://a.test:8443 http://*.a.test:8443 ws://*.a.test:8443')
  assert.is(sources('[::1]:80', 'b.test'), sources('b.test'))
})

test('[F3] in a rule of a browser a dot is a dot', () => {
  const [expression = ''] = expressionsOf(['example.com'])
  assert.equal(
    ['https://example.com/', 'https://exampleXcom/'].map((address) => new RegExp(expression).test(address)),
    [true, false],
  )
})

test.run()
