import { KEY_NAME_CHARS_MAX } from '../../../wire/limits.ts'
import { type CreateKeyBody, openApi } from '../api.ts'
import { FormButton } from '../form.tsx'
import { LongTable } from '../long-table.tsx'
import { Ago, Empty, Loading, Made, Menu, PageHead, useNow } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useMemo, useState } from '../view.ts'

export interface KeysPageProps {
  readonly workspaceId: string
  readonly mayManage: boolean
  /** The key that the reader is signed in with; `null`: an account. */
  readonly keyId: string | null
}

/** The keys of a workspace. A new one is shown once. */
export function KeysPage({ workspaceId, mayManage, keyId }: KeysPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, failed, read, attempt } = useAnswer(() => api.keys.list(), [api])
  const [made, setMade] = useState<string | null>(null)
  const now = useNow(true)
  const create = async (given: Readonly<Record<string, string>>) => {
    setMade((await api.keys.create(given as unknown as CreateKeyBody)).key)
    await read()
  }
  if (answer === null) return <Loading failed={failed} />
  const newKey = mayManage ? (
    <FormButton
      opens="New key"
      button="Create key"
      about={<p class="quiet">A key opens this workspace, so confirm that it is you who makes it.</p>}
      send={create}
      at={{ confirmation_required: 'password', too_many_passwords: 'password' }}
      fields={[
        { name: 'name', label: 'Name', required: true, maxLength: KEY_NAME_CHARS_MAX },
        {
          name: 'type',
          label: 'Type',
          type: 'radio',
          options: [
            ['secret', 'Secret', 'For your servers: it can do everything that a member can.'],
            ['publishable', 'Publishable', 'May be in a web page: it can only pair browsers.'],
          ],
        },
        {
          name: 'password',
          label: keyId === null ? 'Confirm with your password' : 'Confirm with your secret key',
          type: 'password',
          autoComplete: keyId === null ? 'current-password' : 'off',
        },
      ]}
    />
  ) : null
  return (
    <>
      <PageHead
        failed={failed}
        docs={['/docs/security#keys', 'Which key for what']}
        action={answer.length === 0 ? null : newKey}
      >
        Programs and command lines sign in with a key.
      </PageHead>
      {made === null ? null : (
        <Made label="The new key" text={made}>
          <strong>Your new key.</strong> Copy it now: it is not shown again.
        </Made>
      )}
      {answer.length === 0 ? (
        <Empty title="No keys yet" icon="key" action={newKey}>
          <p>
            Create one, then start a <a href="/docs#a-first-task">first task</a> with it.
          </p>
        </Empty>
      ) : (
        <LongTable
          what="key"
          textOf={({ name, key_prefix: prefix }) => `${name} ${prefix}`}
          label="Keys"
          caption="The keys of this workspace, oldest first"
          rows={answer}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Name',
              cell: ({ id, name }) => (
                <>
                  {name} {id === keyId ? <span class="quiet">(signed in with this key)</span> : null}
                </>
              ),
            },
            { head: 'Type', cell: ({ type }) => type },
            { head: 'Begins with', cell: ({ key_prefix: prefix }) => <code>{prefix}…</code> },
            { head: 'Created', cell: ({ created_at: at }) => <Ago at={at} now={now} /> },
            {
              head: 'Last used',
              cell: ({ last_used_at: at }) =>
                at === null ? <span class="quiet">never</span> : <Ago at={at} now={now} />,
            },
            {
              head: 'Actions',
              cell: ({ id, name }) =>
                !mayManage ? null : (
                  <Menu
                    of={name}
                    items={[
                      {
                        words: 'Delete',
                        ends: true,
                        question: `Delete the key ${name}? Programs that use it stop working at once, and the browsers that it paired are removed.`,
                        act: attempt(() => api.keys.delete(id)),
                      },
                    ]}
                  />
                ),
            },
          ]}
        />
      )}
    </>
  )
}
