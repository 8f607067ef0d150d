import { FILE, TASK } from '../../wire/example-values.ts'

/** Segments of paths. */
export const PATH_TEXTS: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  id: { description: 'The id.', example: TASK },
  file_id: { description: 'The id of the file.', example: FILE },
  task_id: { description: 'The id of the task.', example: TASK },
  request_id: { description: 'The id of the input_request.', example: '7d0f9f3e-6a0e-4a52-8f4f-6f5d1a2b3c4d' },
  step: { description: 'Number of the step, from 1.', example: '4' },
  picture: { description: 'The number of a `picture.taken`.', example: '7' },
  token: {
    description: 'The token of the link: `svc_share_` and 64 hexadecimal digits.',
    example: `svc_share_${'5f0c1a2b'.repeat(8)}`,
  },
}
