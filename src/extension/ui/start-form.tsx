import { count } from '../../web/client/format.ts'
import { domainsIn, SecretFields, type SecretInput, secretsOf } from '../../web/client/secrets.tsx'
import { Failure, FileField } from '../../web/client/ui.tsx'
import { useEffect, useRef, useState } from '../../web/client/view.ts'
import { TASK_CHARS_MAX } from '../../wire/limits.ts'
import type { Approvals } from '../messages.ts'
import type { PanelTask } from '../panel-state.ts'
import { tell, upload } from './worker.ts'

const EMPTY = {
  ...{ task: '', approvals: 'irreversible' as Approvals, askUser: true, domains: '' },
  ...{ files: [] as readonly File[], secrets: [] as readonly SecretInput[] },
  /** Another number empties the field for files, which cannot be set. */
  round: 0,
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

interface StartFormProps {
  /** The ended task that the new one goes on from. */
  readonly continues: PanelTask | null
  setContinues(task: PanelTask | null): void
}

/** Starts a task in this browser. What was typed stays until the service has begun it. */
export function StartForm({ continues, setContinues }: StartFormProps) {
  const [typed, setTyped] = useState(EMPTY)
  const [failed, setFailed] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const set = (fields: Partial<typeof EMPTY>) => setTyped((before) => ({ ...before, ...fields }))
  useEffect(() => {
    if (continues) field.current?.focus()
  }, [continues])

  const send = async (): Promise<string | null> => {
    const { domains, approvals, askUser, files, secrets } = typed
    const allowedDomains = domainsIn(domains)
    const terms = { approvals, askUser, ...(allowedDomains.length === 0 ? {} : { allowedDomains }) }
    const uploaded: { fileId: string }[] = []
    for (const file of files) uploaded.push({ fileId: await upload(file) })
    return tell({
      type: 'start',
      task: typed.task.trim(),
      ...(continues ? { continueTaskId: continues.taskId } : terms),
      ...(uploaded.length === 0 ? {} : { files: uploaded }),
      ...(secrets.length === 0 ? {} : { secrets: secretsOf(secrets) }),
    })
  }
  const start = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    const error = await send().catch(messageOf)
    setBusy(false)
    setFailed(error)
    if (error !== null) return
    const { approvals, askUser, round } = typed
    setTyped({ ...EMPTY, approvals, askUser, round: round + 1 })
    setContinues(null)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
      (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit()
  }
  return (
    <section aria-labelledby="start-title">
      <h2 id="start-title">New task</h2>
      <form class="start" onSubmit={start}>
        {continues ? (
          <p class="continues">
            Continues “{continues.task}”, on the same terms.{' '}
            <button type="button" class="plain" onClick={() => setContinues(null)}>
              Start afresh
            </button>
          </p>
        ) : null}
        <label>
          What should be done?
          <textarea
            ref={field}
            id="task"
            rows={3}
            maxLength={TASK_CHARS_MAX}
            required
            value={typed.task}
            onInput={({ currentTarget }) => set({ task: currentTarget.value })}
            onKeyDown={onKeyDown}
          />
        </label>
        {continues ? null : <Terms typed={typed} set={set} />}
        <Given key={typed.round} typed={typed} set={set} />
        <Failure message={failed} />
        <button type="submit" class="main" disabled={isBusy}>
          Start
        </button>
      </form>
    </section>
  )
}

interface TermsProps {
  readonly typed: typeof EMPTY
  set(fields: Partial<typeof EMPTY>): void
}

/** What the task may do without asking, and where. */
const Terms = ({ typed, set }: TermsProps) => (
  <>
    <label>
      Ask me before
      <select
        value={typed.approvals}
        onChange={({ currentTarget }) => set({ approvals: currentTarget.value as Approvals })}
      >
        <option value="irreversible">what cannot be undone</option>
        <option value="always">every action</option>
        <option value="never">nothing</option>
      </select>
    </label>
    <details>
      <summary>Questions, sites</summary>
      <label class="check">
        <input
          type="checkbox"
          checked={typed.askUser}
          onChange={({ currentTarget }) => set({ askUser: currentTarget.checked })}
        />
        May ask me questions
      </label>
      <label>
        Only on these sites
        <input
          placeholder="any site, or example.com, shop.example"
          spellcheck={false}
          value={typed.domains}
          onInput={({ currentTarget }) => set({ domains: currentTarget.value })}
        />
      </label>
    </details>
  </>
)

/** What the task may use: files of the user, and secrets that its model never reads. */
const Given = ({ typed, set }: TermsProps) => (
  <details onInvalidCapture={({ currentTarget }) => (currentTarget.open = true)}>
    <summary>{givenWords(typed)}</summary>
    <FileField label="Files for it to use" files={typed.files} change={(files) => set({ files })} />
    <SecretFields secrets={typed.secrets} change={(secrets) => set({ secrets })} />
  </details>
)

/** What is given is said when the section is closed, too. */
const givenWords = ({ files, secrets }: typeof EMPTY): string =>
  files.length + secrets.length === 0
    ? 'Files, secrets'
    : [count(files.length, 'file'), count(secrets.length, 'secret')].join(', ')
