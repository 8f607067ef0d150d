import { FilesInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

export const files = defineTool({
  name: 'files',
  description:
    'Files of this task: list them (given with the task, and downloaded), upload one by its name to a file field or upload area, read the text of one (PDF, xlsx, docx, pptx, csv, zip and eml, too; a picture is shown), write one (csv, json, txt, md, html) that can be uploaded and that the user can fetch. Clicking a file field opens no file window; upload to its ref instead.',
  input: FilesInput,
})
