import type { Response } from '../net/transport.ts'
import { html, page } from './html.ts'

/** What a request was refused for, as the API says it. */
export interface Refused {
  readonly status: number
  /** The sentence of the API. */
  readonly message: string
  /** Under which the log has the request. */
  readonly requestId: string
}

const DASHBOARD = html`<a class="button" href="/dashboard">Go to the dashboard</a>`
const TITLES: Readonly<Record<number, string>> = {
  401: 'Sign in first',
  403: 'Not allowed',
  404: 'Page not found',
  413: 'Too large',
  421: 'This address is not allowed',
  429: 'Too many requests',
}

/** [P41] What a person reads where a program gets the refusal as JSON: what happened, and what can be done now. */
export function errorPage({ status, message, requestId }: Refused): Response {
  if (status >= 500)
    return page(
      status === 503 ? 'Not available at this moment' : 'Something went wrong',
      html`<p role="alert">${status === 503 ? message : 'This page could not be made.'}</p>
<p>Reload the page in a moment. If it fails again, tell the operator of this service the number <code>${requestId}</code>: the log has the reason under it.</p>
<p>${DASHBOARD}</p>`,
      status,
    )
  return page(
    TITLES[status] ?? 'This did not work',
    html`<p role="alert">${message}${/[.!?]$/.test(message) ? null : '.'}</p>
<p>${NEXT[status] ?? DASHBOARD}</p>`,
    status,
  )
}

const NEXT: Readonly<Record<number, ReturnType<typeof html>>> = {
  401: html`<a class="button" href="/dashboard">Sign in</a>`,
  403: html`Try again from there: ${DASHBOARD}`,
  421: html`Open the service under the address that you were given. Its operator adds others to the setting <code>HOSTS</code>.`,
  429: html`Wait a minute, then try again.</p>
<p>${DASHBOARD}`,
}
