import { Form } from '../form.tsx'

interface EndpointFormProps {
  create(fields: { readonly url: string; readonly description: string | null }): Promise<void>
}

/** A new endpoint. */
export const EndpointForm = ({ create }: EndpointFormProps) => (
  <section aria-labelledby="endpoint-title">
    <h2 id="endpoint-title">New endpoint</h2>
    <Form
      button="Create endpoint"
      send={({ url = '', description = '' }) => create({ url, description: description.trim() || null })}
      fields={[
        { name: 'url', label: 'URL', type: 'url', placeholder: 'https://…', required: true },
        { name: 'description', label: 'Description (optional)', maxLength: 500 },
      ]}
    />
  </section>
)
