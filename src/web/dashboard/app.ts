import { type Html, html } from '../html.ts'

export interface AppProps {
  readonly page:
    | 'task'
    | 'tasks'
    | 'browsers'
    | 'profiles'
    | 'webhooks'
    | 'endpoint'
    | 'keys'
    | 'members'
    | 'recipes'
    | 'recipe'
    | 'usage'
    | 'limits'
    | 'audit'
    | 'account'
    | 'claim'
    | 'join'
    | 'shared'
  readonly workspaceId?: string
  readonly [more: string]: unknown
}

/** The place that `client/mount.tsx` fills, and what the API does not tell it. */
export const app = (props: AppProps): Html =>
  html`<noscript><p role="alert">The dashboard shows live data and needs JavaScript.</p></noscript>
<div id="app" data-props="${JSON.stringify(props)}"><p class="loading">Loading …</p></div>`
