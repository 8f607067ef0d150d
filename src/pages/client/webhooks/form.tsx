import { messageOf } from '../api.ts'
import { CopyButton, Failure, Pre } from '../ui.tsx'
import { useState } from '../view.ts'

/** The secret of an endpoint, which no later answer has. */
export const Secret = ({ text }: { readonly text: string }) => (
  <div class="made" role="status">
    <p>
      <strong>The endpoint's new secret.</strong> Copy it now: it is not shown again.{' '}
      <CopyButton text={text}>Copy</CopyButton>
    </p>
    <Pre label="The new secret">{text}</Pre>
  </div>
)

interface EndpointFormProps {
  create(fields: { readonly url: string; readonly description: string | null }): Promise<void>
}

/** A new endpoint. What was typed stays when it is refused. */
export function EndpointForm({ create }: EndpointFormProps) {
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [failed, setFailed] = useState<string | null>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    setFailed(null)
    try {
      await create({ url, description: description.trim() || null })
      setUrl('')
      setDescription('')
    } catch (error) {
      setFailed(messageOf(error))
    }
  }
  return (
    <section aria-labelledby="endpoint-title">
      <h2 id="endpoint-title">New endpoint</h2>
      <form class="start" onSubmit={submit}>
        <div class="row">
          <label>
            URL
            <input
              name="url"
              type="url"
              placeholder="https://…"
              required
              value={url}
              onInput={({ currentTarget }) => setUrl(currentTarget.value)}
            />
          </label>
          <label>
            Description (optional)
            <input
              name="description"
              maxLength={500}
              value={description}
              onInput={({ currentTarget }) => setDescription(currentTarget.value)}
            />
          </label>
          <button type="submit" class="main">
            Create endpoint
          </button>
        </div>
        <Failure message={failed} />
      </form>
    </section>
  )
}
