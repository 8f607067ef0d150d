import { openShop, type Shop } from '../../src/demo/shop.ts'

/** Runs `visit` with a shop and a visitor who keeps cookies and follows redirects by hand. */
export async function visiting(
  options: Parameters<typeof openShop>[0],
  visit: (visitor: Visitor, shop: Shop) => Promise<void>,
) {
  const shop = await openShop(options)
  try {
    await visit(new Visitor(shop.url), shop)
  } finally {
    await shop.close()
  }
}

/** A visitor who keeps a cookie. */
export class Visitor {
  readonly #url: string
  #cookie = ''
  #from: string | null = null
  constructor(url: string) {
    this.#url = url
  }
  async get(path: string): Promise<{ status: number; text: string; response: globalThis.Response }> {
    const response = await fetch(this.#url + path, { headers: this.#headers(), redirect: 'manual' })
    this.#from = path
    return { status: response.status, text: await response.text(), response }
  }
  #headers(): Record<string, string> {
    return { cookie: this.#cookie, ...(this.#from === null ? {} : { referer: this.#url + this.#from }) }
  }
  /** Comes from elsewhere, as by a typed address. */
  arrives(): void {
    this.#from = null
  }
  /** Posts a form; what a 303 leads to is read too. */
  async post(path: string, form: Record<string, string> | FormData) {
    const body = form instanceof FormData ? form : new URLSearchParams(form)
    const response = await fetch(this.#url + path, {
      method: 'POST',
      body,
      headers: this.#headers(),
      redirect: 'manual',
    })
    const [cookie] = response.headers.getSetCookie()
    if (cookie) this.#cookie = cookie.split(';')[0] ?? ''
    const location = response.headers.get('location')
    if (response.status === 303 && location) return { ...(await this.get(location)), location }
    return { status: response.status, text: await response.text(), location: null }
  }
}
