import type { Api } from '../api.ts'
import { domainsIn, SecretFields, type SecretInput, secretsOf } from '../secrets.tsx'
import { FileField, Select } from '../ui.tsx'
import type { ComponentChildren } from '../view.ts'

/** What a new task is given beside its text; empty texts: not given. */
export interface Options {
  readonly model: string
  readonly effort: string
  readonly approvals: string
  readonly askUser: string
  readonly domains: string
  readonly context: string
  readonly maxSteps: string
  readonly maxCost: string
  readonly files: readonly File[]
  readonly secrets: readonly SecretInput[]
}

const EMPTY: Options = {
  model: '',
  effort: '',
  approvals: 'irreversible',
  askUser: 'yes',
  domains: '',
  context: '',
  maxSteps: '',
  maxCost: '',
  files: [],
  secrets: [],
}
/** A task that goes on from another is held to the same terms, unless others are given [I10]. */
const AS_BEFORE = { approvals: '', askUser: '' }

export const noOptions = (continues: boolean): Options => (continues ? { ...EMPTY, ...AS_BEFORE } : EMPTY)

/** How many options are set to something else than at first; a secret is once something is typed. */
export const countOf = ({ secrets, ...options }: Options, first: Options): number => {
  const typed = secrets.filter(({ name, value, domains }) => `${name}${value}${domains}` !== '')
  return Object.entries({ ...options, secrets: typed }).filter(([name, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== first[name as keyof Options],
  ).length
}

/** The fields of the request. Files are uploaded first: they may be larger than a request. */
export async function fieldsOf(options: Options, api: Pick<Api, 'files'>) {
  const { model, effort, approvals, askUser, domains, context, maxSteps, maxCost, files, secrets } = options
  const uploaded = await Promise.all(files.map((file) => api.files.upload(file.name, file)))
  return {
    ...(model === '' ? {} : { model }),
    ...(effort === '' ? {} : { effort: effort as 'low' | 'medium' | 'high' }),
    ...(approvals === '' ? {} : { approvals: approvals as 'never' | 'irreversible' | 'always' }),
    ...(askUser === '' ? {} : { ask_user: askUser === 'yes' }),
    ...(domains.trim() === '' ? {} : { allowed_domains: domainsIn(domains) }),
    ...(context.trim() === '' ? {} : { context }),
    ...(maxSteps === '' ? {} : { max_steps: Number(maxSteps) }),
    ...(maxCost === '' ? {} : { max_cost_usd: Number(maxCost) }),
    ...(uploaded.length === 0 ? {} : { files: uploaded.map(({ id }) => ({ file_id: id })) }),
    ...(secrets.length === 0 ? {} : { secrets: secretsOf(secrets) }),
  }
}

interface OptionFieldsProps {
  readonly options: Options
  readonly models: readonly string[]
  readonly continues: boolean
  /** A field that stands before the others. */
  readonly children: ComponentChildren
  change(options: Options): void
}

/** What a task may do without asking, where, and with what. */
export function OptionFields({ options, models, continues, children, change }: OptionFieldsProps) {
  const set = (fields: Partial<Options>) => change({ ...options, ...fields })
  const asBefore = continues ? ([['', 'As the earlier task']] as const) : []
  return (
    <div class="options">
      <Group title="Where and how">
        {children}
        <label>
          Only on these sites
          <input
            name="allowed_domains"
            placeholder={continues ? 'As the earlier task' : 'Any site'}
            spellcheck={false}
            value={options.domains}
            onInput={({ currentTarget }) => set({ domains: currentTarget.value })}
          />
        </label>
        {models.length < 2 ? null : (
          <Select
            label="Model"
            name="model"
            value={options.model}
            options={models.map((name, index) => (index === 0 ? ['', `${name} (default)`] : [name, name]))}
            change={(model) => set({ model })}
          />
        )}
        <Select
          label="Reasoning effort"
          name="effort"
          value={options.effort}
          options={[
            ['', 'Default'],
            ['low', 'Low'],
            ['medium', 'Medium'],
            ['high', 'High'],
          ]}
          change={(effort) => set({ effort })}
        />
      </Group>
      <Group title="Limits and approvals">
        <Select
          label="Ask me before"
          name="approvals"
          value={options.approvals}
          options={[
            ...asBefore,
            ['irreversible', 'What cannot be undone'],
            ['always', 'Every action'],
            ['never', 'Nothing'],
          ]}
          change={(approvals) => set({ approvals })}
        />
        <Select
          label="May ask me questions"
          name="ask_user"
          value={options.askUser}
          options={[...asBefore, ['yes', 'Yes'], ['no', 'No']]}
          change={(askUser) => set({ askUser })}
        />
        <label>
          Step limit
          <input
            name="max_steps"
            type="number"
            min={1}
            value={options.maxSteps}
            placeholder="Default"
            onInput={({ currentTarget }) => set({ maxSteps: currentTarget.value })}
          />
        </label>
        <label>
          Cost limit (USD)
          <input
            name="max_cost_usd"
            type="number"
            min={0}
            step="any"
            value={options.maxCost}
            placeholder="No limit"
            onInput={({ currentTarget }) => set({ maxCost: currentTarget.value })}
          />
        </label>
      </Group>
      <Group title="Context and files">
        <label class="whole">
          What else it should know
          <textarea
            name="context"
            rows={2}
            value={options.context}
            onInput={({ currentTarget }) => set({ context: currentTarget.value })}
          />
        </label>
        <FileField label="Files for it to use" files={options.files} change={(files) => set({ files })} />
      </Group>
      <SecretFields secrets={options.secrets} change={(secrets) => set({ secrets })} />
    </div>
  )
}

const Group = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <fieldset class="group">
    <legend>{title}</legend>
    {children}
  </fieldset>
)
