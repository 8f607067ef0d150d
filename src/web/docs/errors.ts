import type { ErrorEntry } from '../../api/deps.ts'
import { type Html, html } from '../html.ts'
import type { Section } from './search.ts'

/** Operations that are named one by one; of a code with more it says how many. */
const NAMED_MAX = 6

/** [E31] Every code in one table, each where its `doc_url` leads; those of fields in a second one. */
export function errorTables(entries: readonly ErrorEntry[]): Html {
  const [own, ofFields] = [entries.filter(({ field }) => field === null), entries.filter(({ field }) => field !== null)]
  return html`<h2 id="codes">Codes</h2>
${tableOf('Codes', own)}
<h2 id="codes-of-fields">Codes of fields</h2>
<p>400; <code>param</code> and <code>pointer</code> say where.</p>
${tableOf('Codes of fields', ofFields)}`
}

const tableOf = (name: string, entries: readonly ErrorEntry[]): Html =>
  html`<div class="table" role="region" aria-label="${name}" tabindex="0"><table role="table" class="stacked">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">code</th><th role="columnheader" scope="col">status</th><th role="columnheader" scope="col">error</th><th role="columnheader" scope="col">operations</th></tr></thead>
<tbody role="rowgroup">${entries.map(
    ({ code, statuses, sentence, operations }) =>
      html`<tr role="row" id="${code}"><th role="rowheader" scope="row"><a href="#${code}"><code>${code}</code></a></th><td role="cell" data-label="status">${statuses.join(', ')}</td><td role="cell" data-label="error">${sentence}</td><td role="cell" data-label="operations">${operationsOf(operations)}</td></tr>
`,
  )}</tbody>
</table></div>`

const operationsOf = (operations: readonly string[]): readonly Html[] | string =>
  operations.length > NAMED_MAX
    ? `${operations.length} operations`
    : operations.map((id) => html`<a href="/docs/api#${id}">${id}</a> `)

/** [P16] The codes as the search finds them. */
export const errorSections = (entries: readonly ErrorEntry[]): readonly Section[] =>
  entries.map(({ code, sentence }) => ({ address: `/docs/errors#${code}`, title: `Error: ${code}`, text: sentence }))
