import { type Api, type BrowserSession, messageOf, openApi } from '../api.ts'
import { localTime } from '../format.ts'
import { Scrolling } from '../markdown.tsx'
import { nameOf } from '../tasks/start.tsx'
import { Ago, Badge, Button, ConfirmButton, Failure, useNow } from '../ui.tsx'
import { useMemo, useState } from '../view.ts'
import { useBrowsers } from './use-browsers.ts'

export interface BrowsersPageProps {
  readonly workspaceId: string
  /** Whether the reader may do more than look on. */
  readonly mayAct: boolean
  /** The names of the workspace's keys, by their ids. */
  readonly keys: Readonly<Record<string, string>>
}

/** The browsers that are paired with a workspace, as they come and go. */
export function BrowsersPage({ workspaceId, mayAct, keys }: BrowsersPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { browsers, failed, look } = useBrowsers(api, { follow: 'all' })
  const [refused, setRefused] = useState<string | null>(null)
  const attempt = (act: () => Promise<unknown>) => async () => {
    setRefused(null)
    await act().then(look, (error) => setRefused(messageOf(error)))
  }
  return (
    <>
      <Failure message={refused ?? (failed === null ? null : messageOf(failed))} />
      {browsers === null ? <p class="loading">Loading …</p> : null}
      {browsers?.length === 0 ? (
        <div class="empty">
          <p>
            <strong>No browsers paired yet.</strong>
          </p>
          <p>
            Tasks run in your own browser, where you are already signed in. Get the{' '}
            <a href="/extension.zip" download>
              extension
            </a>
            , then pair your browser below. Without a screen: <a href="/docs#a-first-task">the headless browser</a>.
          </p>
        </div>
      ) : null}
      {browsers && browsers.length > 0 ? (
        <Browsers api={api} all={browsers} workspaceId={workspaceId} mayAct={mayAct} keys={keys} attempt={attempt} />
      ) : null}
      {mayAct ? <PairForm workspaceId={workspaceId} isFirst={browsers?.length === 0} /> : null}
    </>
  )
}

interface BrowsersProps extends BrowsersPageProps {
  readonly api: Api
  readonly all: readonly BrowserSession[]
  attempt(act: () => Promise<unknown>): () => Promise<void>
}

function Browsers({ api, all, workspaceId, mayAct, keys, attempt }: BrowsersProps) {
  const now = useNow(true)
  return (
    <div class="cards">
      <Scrolling label="Browsers">
        <table>
          <caption>The browsers that are paired with this workspace, newest first</caption>
          <thead>
            <tr>
              {['Browser', 'Status', 'Paired by', 'May start tasks', 'Last seen', 'Paired until'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              {mayAct ? <th scope="col">Action</th> : null}
            </tr>
          </thead>
          <tbody>
            {all.map((browser) => {
              const {
                id,
                status,
                key_id: keyId,
                allow_tasks: mayStart,
                last_heartbeat: seen,
                expires_at: until,
              } = browser
              const name = nameOf(browser)
              const path = `/v1/browser-sessions/${id}`
              return (
                <tr key={id}>
                  <th scope="row" class="words">
                    <a href={`/dashboard?workspace=${workspaceId}&browser=${id}`}>{name}</a>
                  </th>
                  <td data-label="Status">
                    {status === 'connected' ? (
                      <Badge tone="good" icon="check">
                        Connected
                      </Badge>
                    ) : (
                      <Badge tone="plain" icon="cross">
                        Not connected
                      </Badge>
                    )}
                  </td>
                  <td data-label="Paired by">{keys[keyId ?? ''] ?? <span class="quiet">a user</span>}</td>
                  <td data-label="May start tasks">
                    <span>
                      {mayStart ? 'yes' : 'no'}{' '}
                      {!mayAct ? null : (
                        <Button
                          label={`${mayStart ? 'Disallow' : 'Allow'} tasks that ${name} starts`}
                          act={attempt(() => api.post(path, { allow_tasks: !mayStart }))}
                        >
                          {mayStart ? 'Disallow' : 'Allow'}
                        </Button>
                      )}
                    </span>
                  </td>
                  <td data-label="Last seen">
                    {seen === null ? <span class="quiet">never</span> : <Ago at={seen} now={now} />}
                  </td>
                  <td data-label="Paired until">
                    <time dateTime={new Date(until).toISOString()}>{localTime(until)}</time>
                  </td>
                  {!mayAct ? null : (
                    <td>
                      <ConfirmButton
                        kind="danger"
                        label={`Remove ${name}`}
                        question={`Remove ${name}? Its tasks lose their browser, and it has to be paired again.`}
                        act={attempt(() => api.delete(path))}
                      >
                        Remove
                      </ConfirmButton>
                    </td>
                  )}
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scrolling>
    </div>
  )
}

/** Leads to the page with the pairing link. */
const PairForm = ({ workspaceId, isFirst }: { readonly workspaceId: string; readonly isFirst: boolean }) => (
  <section aria-labelledby="pair-title">
    <h2 id="pair-title">{isFirst ? 'Pair your first browser' : 'Pair another browser'}</h2>
    <form class="start row pair" method="post" action="/dashboard/pair">
      <input type="hidden" name="workspace" value={workspaceId} />
      <label for="label">
        Name (optional)
        <input id="label" name="label" maxLength={200} placeholder="Office laptop" />
      </label>
      <button type="submit" class="main">
        Pair a browser
      </button>
    </form>
  </section>
)
