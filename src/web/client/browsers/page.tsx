import type { Pairing } from '../../../wire/sessions.ts'
import { type Api, type BrowserSession, messageOf, openApi, type TaskSummary } from '../api.ts'
import { LongTable } from '../long-table.tsx'
import { Ago, Badge, Button, Empty, Menu, PageHead, Select, useNow } from '../ui.tsx'
import { useMemo, useState } from '../view.ts'
import { PairDialog, PairingLink, Unpack } from './pair.tsx'
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
  const [isAsked, setAsked] = useState(false)
  const attempt = (act: () => Promise<unknown>) => async () => {
    setRefused(null)
    await act().then(look, (error) => setRefused(messageOf(error)))
  }
  const isEmpty = browsers?.length === 0
  const pair = mayAct ? (
    <Button kind={isEmpty ? 'plain' : 'main'} act={() => setAsked(true)}>
      Pair a browser
    </Button>
  ) : null
  return (
    <>
      <PageHead
        failed={refused ?? (failed === null ? null : messageOf(failed))}
        docs={['/docs/browsers', 'Browsers and pools']}
        action={isEmpty ? null : pair}
      >
        Tasks run in these browsers, with the sign-ins that they have.
      </PageHead>
      {/* Not in the button: what is typed stays when the first browser comes. */}
      {isAsked ? <PairDialog api={api} shows={setPairing} close={() => setAsked(false)} /> : null}
      {browsers === null ? <p class="loading">Loading …</p> : null}
      {isEmpty ? (
        <Empty title="No browsers paired yet" icon="browser">
          <ol>
            <li>
              <p>Get the extension: tasks run in your own browser, where you are already signed in.</p>
              <p>
                <a class="button main" href="/extension.zip" download>
                  Download the extension
                </a>
              </p>
              <Unpack />
            </li>
            <li>
              <p>Pair your browser.</p>
              {pair}
            </li>
          </ol>
          <p>
            Without a screen: <a href="/docs#a-first-task">the headless browser</a>.
          </p>
        </Empty>
      ) : null}
      {pairing === null ? null : <PairingLink api={api} workspaceId={workspaceId} pairing={pairing} />}
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

function Browsers({ api, all, working, workspaceId, mayAct, keys, attempt }: BrowsersProps) {
  const now = useNow(true)
  return (
    <LongTable
      what="browser"
      textOf={(browser) => `${nameOf(browser)} ${browser.id} ${browser.external_user_id ?? ''}`}
      narrowed={{
        by: 'status',
        fits: ({ id, status }, value) => (value === WORKING ? working.has(id) : status === value),
        field: (value, change) => (
          <Select
            label="Status"
            id="status"
            value={value}
            options={[
              ['', 'Any status'],
              ['connected', 'Connected'],
              [WORKING, 'Working'],
              ['disconnected', 'Not connected'],
            ]}
            change={change}
          />
        ),
      }}
      label="Browsers"
      caption="The browsers that are paired with this workspace, newest first"
      rows={all}
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
          bare: true,
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
          cell: ({ id, status }) => {
            const task = working.get(id)
            return task === undefined ? (
              <span class="quiet">{status === 'connected' ? 'idle' : '–'}</span>
            ) : (
              <a href={`/dashboard/tasks/${task.id}?workspace=${workspaceId}`}>{task.task}</a>
            )
          },
        },
        { head: 'Paired by', cell: ({ key_id: keyId }) => keys[keyId ?? ''] ?? <span class="quiet">a member</span> },
        {
          head: 'May start tasks',
          cell: (browser) => (
            <Button
              label={`${nameOf(browser)} may start tasks`}
              disabled={!mayAct}
              isOn={browser.allow_tasks}
              act={attempt(() => api.browsers.allowTasks(browser.id, !browser.allow_tasks))}
            />
          ),
        },
        {
          head: 'Last seen',
          cell: ({ last_heartbeat: seen }) =>
            seen === null ? <span class="quiet">never</span> : <Ago at={seen} now={now} />,
        },
        {
          head: 'Paired until',
          cell: ({ expires_at: until }) => <Ago at={until} now={now} />,
        },
        {
          head: 'Actions',
          cell: (browser) =>
            !mayAct ? null : (
              <Menu
                of={nameOf(browser)}
                items={[
                  {
                    words: 'Remove',
                    ends: true,
                    question: `Remove ${nameOf(browser)}? Its tasks lose their browser, and it has to be paired again.`,
                    act: attempt(() => api.browsers.remove(browser.id)),
                  },
                ]}
              />
            ),
        },
      ]}
    />
  )
}

const WORKING = 'working'
