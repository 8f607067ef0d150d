import type { TaskView } from '../../../actors/task-service.ts'
import type { WorkspaceRecord } from '../../../machines/records.ts'
import { type Html, html, time } from '../html.ts'

/** [I8] What a task asks its user, with a form that answers. Nothing of it when nothing is asked. */
export function inputForm({ id, inputRequest }: TaskView, workspace: WorkspaceRecord): Html | null {
  if (!inputRequest) return null
  const { kind, message, call, schema, expiresAt } = inputRequest
  const choices = Array.isArray(schema?.enum) ? schema.enum.map(String) : null
  const field =
    kind !== 'question'
      ? null
      : choices
        ? html`<label>Answer <select name="content" required>${choices.map((choice) => html`<option>${choice}</option>`)}</select></label>`
        : html`<label>Answer <textarea name="content" rows="2" maxlength="10000"></textarea></label>`
  const accept = { question: 'Answer', approval: 'Approve', takeover: 'Done' }[kind]
  return html`<section class="input" aria-labelledby="input-title"><h2 id="input-title">${kind === 'approval' ? 'Approve this action?' : 'The task asks you'}</h2>
<p class="words">${message}</p>
${
  call === null
    ? null
    : html`<p><code>${call.tool}</code> <span class="quiet words">${JSON.stringify(call.input)}</span></p>
<ul>${call.terms.filter((term) => term !== '').map((term) => html`<li>${term}</li>`)}</ul>`
}
<form class="row" method="post" action="/dashboard/tasks/${id}/inputs/${inputRequest.id}">
<input type="hidden" name="workspace" value="${workspace.id}">
${field}
<button name="action" value="accept">${accept}</button>
<button name="action" value="decline" class="plain" formnovalidate>Decline</button>
</form>
<p class="quiet">Until ${time(expiresAt)}. Without an answer the task goes on without it.</p></section>`
}
