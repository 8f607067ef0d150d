import type { ClusterReport } from '../../../actors/cluster/cluster-report.ts'
import { type Html, html, trusted } from '../html.ts'

type AppProps =
  | { readonly page: 'replay'; readonly workspaceId: string; readonly taskId: string | null }
  | {
      readonly page: 'inspector'
      /** The address of the actor that is shown; empty: none. */
      readonly focus: string
      /** Those whose tasks the viewer may read. */
      readonly workspaces: readonly { readonly id: string; readonly name: string; readonly mayAct: boolean }[]
      /** What this node knows of the others; `null`: there is one process. */
      readonly nodes: Pick<ClusterReport, 'node' | 'nodes'> | null
    }

interface Drawing {
  readonly kind: string
  readonly svg: string | null
}

/** The place that `client/inspector.tsx` fills. The drawing comes with the page: it is seen at once. */
export const app = (props: AppProps, { kind, svg }: Drawing): Html =>
  html`<noscript><p role="alert">The inspector shows live data and needs JavaScript.</p></noscript>
<div id="app" data-props="${JSON.stringify(props)}"><p class="loading">Loading …</p>
${svg === null ? null : html`<div class="drawing" data-kind="${kind}">${trusted(svg)}</div>`}</div>`
