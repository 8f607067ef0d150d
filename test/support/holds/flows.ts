import * as assert from 'uvu/assert'
import { type Attacked, accept, type CallOptions } from './suite.ts'

/** Ordinary use of a site: what of it asks how often. */
interface Flow {
  readonly page: string
  /** What is pressed, by name; set, where a value stands beside it. */
  readonly does: readonly (readonly [name: string, value?: string])[]
  /** How many questions there may be; none when left out. */
  readonly questions?: number
}

const json = (path: string, body: string) =>
  `fetch('${path}', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(${body}) })`

export const FLOWS: Readonly<Record<string, Flow>> = {
  search: {
    page: '<form action=/search><input name=q aria-label=Words><button>Search</button></form>',
    does: [['Words', 'tea'], ['Search']],
  },
  'search by POST': {
    page: `<input aria-label=Words><button onclick="${json('/api/products/search', '{ q: 1 }')}">Search</button>`,
    does: [['Words', 'tea'], ['Search'], ['Search']],
  },
  filter: {
    page: '<form action=/teas><select name=filter_kind aria-label=Kind onchange="form.submit()"><option>all<option>green</select></form>',
    does: [['Kind', 'green']],
  },
  suggestions: {
    page: `<input aria-label=Words oninput="${json('/api/suggest', '{ text: value }')}">`,
    does: [
      ['Words', 'te'],
      ['Words', 'tea'],
    ],
  },
  'add to cart': {
    page: `<button onclick="${json('/cart/add', '{ item: 7 }')}">Add to cart</button>`,
    does: [['Add to cart'], ['Add to cart']],
  },
  consent: {
    page: `<button onclick="${json('/api/cookie-consent', '{ all: true }')}">Accept all</button>`,
    does: [['Accept all']],
  },
  'sign-in': {
    page: '<form method=post action=/login><input name=user aria-label=User><input name=password type=password aria-label=Password><button>Sign in</button></form>',
    does: [['User', 'ann'], ['Password', '{{secret:shop}}'], ['Sign in']],
  },
  'GraphQL reads': {
    page: `<button onclick="${json('/graphql', "{ query: 'query Teas { teas { name } }' }")}">More teas</button>`,
    does: [['More teas'], ['More teas']],
  },
  pagination: { page: '<a href="/teas?page=2">Next</a>', does: [['Next']] },
  language: {
    page: '<form method=post action=/language><input type=hidden name=lang value=de><button>Deutsch</button></form>',
    does: [['Deutsch']],
  },
  'infinite scroll': {
    page: `<button>Tea</button><div style="height:4000px"></div><script>onscroll = () => ${json('/api/feed/more', '{ after: 9 }')}</script>`,
    does: [['scroll'], ['scroll']],
  },
  'links and tabs of an application': {
    page: '<a href="/orders">Orders</a><button role=tab>Post</button><button>New</button>',
    does: [['Post'], ['New'], ['Orders']],
  },
  'settings saved, twice': {
    page: `<button onclick="${json('/api/settings', '{ size: 3 }')}">Save</button>`,
    does: [['Save'], ['Save'], ['Save']],
    questions: 1,
  },
}

/** Each flow asks no more than it may, and nothing a second time once it is allowed for the task. */
export async function tryFlows({ browser, shop }: Attacked): Promise<void> {
  const wrong: string[] = []
  const secrets = [{ name: 'shop', value: 'correct horse', domains: [new URL(shop.origin).host] }]
  for (const [n, [name, flow]] of Object.entries(FLOWS).entries()) {
    shop.pages.set(`flow${n}`, flow.page)
    const allowedShapes: string[] = []
    const options: CallOptions = { allowedShapes, secrets }
    await browser.call('navigate', { url: `${shop.origin}/page/flow${n}` }, options)
    let questions = 0
    for (const [what, value] of flow.does) {
      let answer = await browser.call(...(await stepOf(what, value)), options)
      while (answer.held) {
        questions += 1
        allowedShapes.push(answer.held.shape)
        answer = await accept({ browser, shop }, answer.held, options)
      }
      if (answer.error !== null) wrong.push(`${name}: ${answer.error}`)
    }
    if (questions > (flow.questions ?? 0)) wrong.push(`${name}: ${questions} questions: ${allowedShapes.join(', ')}`)
    await browser.end()
  }
  assert.equal(wrong, [])

  async function stepOf(what: string, value: string | undefined): Promise<[string, Record<string, unknown>]> {
    if (what === 'scroll')
      return ['computer', { action: 'scroll', scroll_direction: 'down', scroll_amount: 5, coordinate: [200, 200] }]
    const { text } = await browser.call('find', { query: what })
    const ref = /\[((?:f\d+)?e\d+)\]/.exec(text)?.[1]
    return value === undefined ? ['computer', { action: 'left_click', ref }] : ['form_input', { ref, value }]
  }
}
