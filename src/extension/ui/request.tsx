import { MINUTE_MS } from '../../../machines/limits.ts'
import { RequestForm } from '../../web/client/request.tsx'
import type { RelayInput } from '../../wire/relay-panel.ts'
import { INPUT_MS_MIN } from '../limits.ts'
import { tell } from './worker.ts'

/** [I9] What a task asks, in the side panel and in the window with an action to be approved. */
export const Request = ({ taskId, request }: { readonly taskId: string; readonly request: RelayInput }) => (
  <RequestForm
    // The same request again changes nothing: what the user has typed stays.
    key={request.id}
    request={request}
    until={`at ${clock(request.expiresAt)}`}
    quietMs={INPUT_MS_MIN}
    answer={(action, content, forTask) =>
      tell({ type: 'input', taskId, inputId: request.id, action, content, forTask })
    }
  />
)

const clock = (at: number): string =>
  new Date(Math.ceil(at / MINUTE_MS) * MINUTE_MS).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
