import { WEBHOOK_TYPES } from '../../../../machines/webhook-records.ts'
import type { CreateEndpointBody } from '../api.ts'
import { FormButton } from '../form.tsx'

interface EndpointFormProps {
  create(fields: CreateEndpointBody): Promise<void>
}

/** [W10] A new endpoint. */
export const EndpointForm = ({ create }: EndpointFormProps) => (
  <FormButton
    opens="New endpoint"
    button="Create endpoint"
    send={({ url = '', description = '', types = '' }) =>
      create({
        url,
        description: description.trim() || null,
        types: WEBHOOK_TYPES.filter((type) => types.split(',').includes(type)),
      })
    }
    fields={[
      { name: 'url', label: 'URL', type: 'url', placeholder: 'https://…', required: true },
      { name: 'description', label: 'Description (optional)', maxLength: 500 },
      {
        name: 'types',
        label: 'Events (none ticked: all)',
        type: 'checkbox',
        options: WEBHOOK_TYPES.map((type) => [type, type]),
      },
    ]}
  />
)
