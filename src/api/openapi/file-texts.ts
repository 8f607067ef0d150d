import { AT, TASK } from './example-values.ts'
import type { FieldTexts } from './field-texts.ts'

const FILE = '5b1d7c34-9f0e-4d8a-8a55-0c2b7f6f4e21'

/** Fields of files. */
export const FILE_TEXTS: FieldTexts = {
  files: [
    'Files that the task may read and upload by their names; at most 10, and 8 MB in all.',
    // Each is given in one of three ways.
    [{ name: 'contract.pdf', media_type: 'application/pdf', data: 'JVBERi0xLjQK' }],
  ],
  'FileList.files': ['The oldest first.'],
  'GivenFileBody.name': [
    'The name by which the model finds it; needed beside data, else the end of the url or the name of the upload.',
    'contract.pdf',
  ],
  'GivenFileBody.media_type': [
    'Its media type; when it is left out, as the server of its url says, or by the end of the name.',
    'application/pdf',
  ],
  'GivenFileBody.data': ['Its bytes in base64.', 'JVBERi0xLjQK'],
  'GivenFileBody.url': [
    'In place of data: where the service fetches it when the task is started, by http or https. Only addresses of the public internet are called.',
    'https://example.com/contract.pdf',
  ],
  'GivenFileBody.file_id': ['In place of data: a file that was uploaded, or belongs to an earlier task.', FILE],
  'UploadedFile.id': ['The file_id for a task.', FILE],
  'TaskFile.id': ['The id.', FILE],
  'UploadedFile.name': ['The name.', 'contract.pdf'],
  'TaskFile.name': ['The name.', 'invoice.pdf'],
  media_type: ['Its media type.', 'application/pdf'],
  size: ['In bytes.', 48_213],
  origin: ['Whether it was given with the task, or downloaded by it.', 'downloaded'],
  'UploadedFile.expires_at': ['When it is removed unless a task uses it, in milliseconds since 1970.', AT + 86_400_000],
  file_id: ['The id of the file.', FILE],
}

/** Parameters of files, in queries and paths. */
export const FILE_PARAMETER_TEXTS: FieldTexts = {
  name: ['The name, without a path.', 'contract.pdf'],
  media_type: ['The media type; by the end of the name when it is left out.', 'application/pdf'],
}
export const FILE_PATH_TEXTS: FieldTexts = {
  file_id: ['The id of the file.', FILE],
  task_id: ['The id of the task.', TASK],
}
