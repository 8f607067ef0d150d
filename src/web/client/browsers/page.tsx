import type { Pairing } from '../../../wire/sessions.ts'
import { type Api, type BrowserSession, messageOf, openApi, type TaskSummary } from '../api.ts'
import { count, localTime } from '../format.ts'
import { type Column, Table } from '../table.tsx'
import { Ago, Badge, Button, ConfirmButton, Empty, PageHead, SearchField, Select, useNow } from '../ui.tsx'
import { useMemo, useState } from '../view.ts'
import { PairForm, PairingLink } from './pair.tsx'
import { nameOf, useBrowsers } from './use-browsers.ts'
import { useWorking } from './use-working.ts'

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
  const { browsers, failed, look } = useBrowsers(api)
  const working = useWorking(api, browsers !== null)
  const [refused, setRefused] = useState<string | null>(null)
  const [pairing, setPairing] = useState<Pairing | null>(null)
  const attempt = (act: () => Promise<unknown>) => async () => {
    setRefused(null)
    await act().then(look, (error) => setRefused(messageOf(error)))
  }
  return (
    <>
      <PageHead
        failed={refused ?? (failed === null ? null : messageOf(failed))}
        docs={['/docs/browsers', 'Browsers and pools']}
      >
        Tasks run in these browsers, with the sign-ins that they have.
      </PageHead>
      {browsers === null ? <p class="loading">Loading …</p> : null}
      {browsers?.length === 0 ? (
        <Empty title="No browsers paired yet" icon="browser">
          <p>
            Tasks run in your own browser, where you are already signed in. Get the{' '}
            <a href="/extension.zip" download>
              extension
            </a>
            , then pair your browser below. Without a screen: <a href="/docs#a-first-task">the headless browser</a>.
          </p>
        </Empty>
      ) : null}
      {browsers && browsers.length > 0 ? (
        <Browsers
          api={api}
          all={browsers}
          working={working}
          workspaceId={workspaceId}
          mayAct={mayAct}
          keys={keys}
          attempt={attempt}
        />
      ) : null}
      {pairing === null ? null : <PairingLink api={api} workspaceId={workspaceId} pairing={pairing} />}
      {!mayAct ? null : (
        <section aria-labelledby="pair-title">
          <h2 id="pair-title">{browsers?.length === 0 ? 'Pair your first browser' : 'Pair another browser'}</h2>
          <PairForm api={api} layout="start row pair" placeholder="Office laptop" shows={setPairing} />
        </section>
      )}
    </>
  )
}

interface BrowsersProps extends BrowsersPageProps {
  readonly api: Api
  readonly all: readonly BrowserSession[]
  /** The task that each browser works on, by the id of the browser. */
  readonly working: ReadonlyMap<string, TaskSummary>
  attempt(act: () => Promise<unknown>): () => Promise<void>
}

/** So many are shown at first, and with each press more. */
const SHOWN = 50
/** From so many on they are searched. */
const SEARCHED_MIN = 5

function Browsers({ api, all, working, workspaceId, mayAct, keys, attempt }: BrowsersProps) {
  const now = useNow(true)
  const [words, setWords] = useState('')
  const [status, setStatus] = useState('')
  const [shown, setShown] = useState(SHOWN)
  const fits = (browser: BrowserSession) =>
    (status === '' || (status === WORKING ? working.has(browser.id) : browser.status === status)) &&
    `${nameOf(browser)} ${browser.id} ${browser.external_user_id ?? ''}`.toLowerCase().includes(words.toLowerCase())
  const fitting = all.filter(fits)
  const removal: Column<BrowserSession> = {
    head: 'Action',
    cell: (browser) => (
      <ConfirmButton
        kind="danger"
        label={`Remove ${nameOf(browser)}`}
        question={`Remove ${nameOf(browser)}? Its tasks lose their browser, and it has to be paired again.`}
        act={attempt(() => api.browsers.remove(browser.id))}
      >
        Remove
      </ConfirmButton>
    ),
  }
  const table = (
    <Table
      label="Browsers"
      caption="The browsers that are paired with this workspace, newest first"
      rows={fitting.slice(0, shown)}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Browser',
          cell: (browser) => (
            <a href={`/dashboard?workspace=${workspaceId}&browser=${browser.id}`}>{nameOf(browser)}</a>
          ),
        },
        {
          head: 'Status',
          cell: ({ status }) =>
            status === 'connected' ? (
              <Badge tone="good" icon="check">
                Connected
              </Badge>
            ) : (
              <Badge tone="plain" icon="cross">
                Not connected
              </Badge>
            ),
        },
        {
          head: 'Works on',
          words: true,
          cell: ({ id }) => {
            const task = working.get(id)
            return task === undefined ? (
              <span class="quiet">–</span>
            ) : (
              <a href={`/dashboard/tasks/${task.id}?workspace=${workspaceId}`}>{task.task}</a>
            )
          },
        },
        { head: 'Paired by', cell: ({ key_id: keyId }) => keys[keyId ?? ''] ?? <span class="quiet">a user</span> },
        {
          head: 'May start tasks',
          cell: (browser) => {
            const { allow_tasks: mayStart } = browser
            const words = mayStart ? 'Disallow' : 'Allow'
            return (
              <span>
                {mayStart ? 'yes' : 'no'}{' '}
                {!mayAct ? null : (
                  <Button
                    label={`${words} tasks that ${nameOf(browser)} starts`}
                    act={attempt(() => api.browsers.allowTasks(browser.id, !mayStart))}
                  >
                    {words}
                  </Button>
                )}
              </span>
            )
          },
        },
        {
          head: 'Last seen',
          cell: ({ last_heartbeat: seen }) =>
            seen === null ? <span class="quiet">never</span> : <Ago at={seen} now={now} />,
        },
        {
          head: 'Paired until',
          cell: ({ expires_at: until }) => <time dateTime={new Date(until).toISOString()}>{localTime(until)}</time>,
        },
        ...(mayAct ? [removal] : []),
      ]}
    />
  )
  return (
    <>
      {all.length < SEARCHED_MIN ? null : (
        <search>
          <form class="filters row" onSubmit={(event) => event.preventDefault()}>
            <SearchField label="Search" id="search" placeholder="Name, id or user" value={words} change={setWords} />
            <Select
              label="Status"
              id="status"
              value={status}
              options={[
                ['', 'Any status'],
                ['connected', 'Connected'],
                [WORKING, 'Working'],
                ['disconnected', 'Not connected'],
              ]}
              change={setStatus}
            />
          </form>
          <p class="quiet" role="status">
            {fitting.length === all.length
              ? count(all.length, 'browser')
              : `${fitting.length} of ${count(all.length, 'browser')}`}
          </p>
        </search>
      )}
      {fitting.length === 0 ? <p class="empty">No browser matches this search.</p> : table}
      {fitting.length > shown ? <Button act={() => setShown(shown + SHOWN)}>Show more</Button> : null}
    </>
  )
}

const WORKING = 'working'
