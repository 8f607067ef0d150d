import { readFile } from 'node:fs/promises'
import type { Response } from '../http/transport.ts'
import { html, page } from './html.ts'
import { markdown } from './markdown.ts'

const README = new URL('../../README.md', import.meta.url)

/** Where the repository has no README, this has to do. */
const QUICK_START = `# Quick start
1. Get a pairing link: \`POST /v1/browser-sessions/pair\` with your key as \`Authorization: Bearer svc_live_…\`.
2. Pair a browser: \`npx browser-task browser --url <service> --token <pairing token>\`.
3. Start a task: \`POST /v1/tasks\` with \`{"task": "…", "browser_session_id": "…"}\`.
4. Watch it: \`GET /v1/tasks/<id>\`.
`

/** [P1] The README, as it is in the repository. Read once. */
export async function openDocs(readme: URL = README): Promise<() => Response> {
  const source = await readFile(readme, 'utf8').catch(() => QUICK_START)
  const rendered = page(
    'Docs',
    html`<p>The whole API as OpenAPI 3.1: <a href="/openapi.json">/openapi.json</a></p>
${markdown(source)}`,
  )
  return () => rendered
}
