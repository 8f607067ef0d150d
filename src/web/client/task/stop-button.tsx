import { ConfirmButton } from '../ui.tsx'

/** Ends a running task, once it was asked for a second time. */
export const StopButton = ({ stop }: { readonly stop: () => unknown }) => (
  <ConfirmButton icon="stop" kind="danger" question="Stop this task? What it has done so far stays done." act={stop}>
    Stop
  </ConfirmButton>
)
