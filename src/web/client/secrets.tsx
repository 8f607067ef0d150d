import { Select } from './ui.tsx'

/** A secret as it is typed. */
export interface SecretInput {
  /** Tells the rows apart while they are edited. */
  readonly row: number
  readonly name: string
  readonly value: string
  readonly kind: 'value' | 'totp'
  readonly domains: string
}

/** Domains as people write lists. */
export const domainsIn = (text: string): string[] => text.split(/[\s,;]+/).filter((each) => each !== '')

/** [X1] As the API takes them. */
export const secretsOf = (secrets: readonly SecretInput[]) =>
  secrets.map(({ name, value, kind, domains }) => ({ name, [kind]: value, domains: domainsIn(domains) }))

interface SecretFieldsProps {
  readonly secrets: readonly SecretInput[]
  change(secrets: readonly SecretInput[]): void
}

/** Passwords that the task may type. Their values are sent once, and neither shown nor kept by this page. */
export function SecretFields({ secrets, change }: SecretFieldsProps) {
  const add = () => {
    const row = Math.max(0, ...secrets.map((each) => each.row)) + 1
    change([...secrets, { row, name: '', value: '', kind: 'value', domains: '' }])
  }
  const set = (row: number, fields: Partial<SecretInput>) =>
    change(secrets.map((each) => (each.row === row ? { ...each, ...fields } : each)))
  return (
    <fieldset class="secrets whole">
      <legend>Secrets</legend>
      <p class="quiet">
        The model never reads a value: it types it by name, and only on these sites. Values are deleted when the task
        ends.
      </p>
      {secrets.map((secret) => (
        <div class="secret" key={secret.row}>
          <label>
            Name
            <input
              required
              pattern="[\w\-]{1,40}"
              title="1 to 40 letters, digits, _ or -"
              placeholder="shop_password"
              spellcheck={false}
              value={secret.name}
              onInput={({ currentTarget }) => set(secret.row, { name: currentTarget.value })}
            />
          </label>
          <Select
            label="Kind"
            value={secret.kind}
            options={[
              ['value', 'Password or text'],
              ['totp', 'One-time code'],
            ]}
            change={(kind) => set(secret.row, { kind: kind === 'totp' ? 'totp' : 'value' })}
          />
          <label>
            Value
            <input
              required
              type="password"
              autocomplete="off"
              value={secret.value}
              onInput={({ currentTarget }) => set(secret.row, { value: currentTarget.value })}
            />
          </label>
          <label>
            Sites
            <input
              required
              placeholder="shop.example"
              spellcheck={false}
              value={secret.domains}
              onInput={({ currentTarget }) => set(secret.row, { domains: currentTarget.value })}
            />
          </label>
          <button
            type="button"
            class="plain"
            aria-label={`Remove the secret ${secret.name}`}
            onClick={() => change(secrets.filter(({ row }) => row !== secret.row))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" class="plain" onClick={add}>
        Add a secret
      </button>
    </fieldset>
  )
}
