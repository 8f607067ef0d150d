import { inputsFault, withInputs } from '../../../machines/placeholders.ts'
import type { TaskRequest } from '../../../machines/records.ts'
import { secretsIn } from '../../../machines/secrets.ts'
import { CONTEXT_CHARS_MAX, TASK_CHARS_MAX, URL_CHARS_MAX } from '../../wire/limits.ts'

/** [J1] The texts with their inputs, and as they were given; a text: why the inputs do not fit them. */
export function filledTexts({ task, url, context, inputs }: TaskRequest): Partial<TaskRequest> | string {
  if (!inputs) return {}
  const template = { task, url, context }
  const fault = inputsFault(template, inputs)
  if (fault !== null) return fault
  const texts = withInputs(template, inputs)
  // [X3] Values beside one another, or within braces of the template, may come to a placeholder, too.
  for (const name of ['task', 'url', 'context'] as const)
    if (secretsIn(texts[name] ?? '').length > secretsIn(template[name] ?? '').length)
      return `make a ${name} that names a secret`
  if (texts.task.trim() === '' || texts.task.length > TASK_CHARS_MAX) return 'make a task that is blank or too long'
  if ((texts.context ?? '').length > CONTEXT_CHARS_MAX) return 'make a context that is too long'
  const address = texts.url
  if (address !== null && (address.length > URL_CHARS_MAX || !URL.canParse(address)))
    return 'make a url that is too long or not valid'
  return { ...texts, template }
}

/** [X3] The input that names a secret: who fills in a template need not be who may use the secrets of its task. */
export const inputNamingSecret = ({ inputs }: TaskRequest): string | undefined =>
  Object.entries(inputs ?? {}).find(([, value]) => secretsIn(value).length > 0)?.[0]
