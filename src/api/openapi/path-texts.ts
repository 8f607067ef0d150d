import {
  APP,
  DELIVERY,
  ENDPOINT,
  FILE,
  INVITATION,
  KEY,
  MEMBER,
  RECIPE,
  REQUEST,
  SESSION,
  SHARE_TOKEN,
  TASK,
} from '../../wire/example-values.ts'

/** Segments of paths, by name, or by `folder/name` where an id is of something else than a task. */
export const PATH_TEXTS: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  id: { description: 'The id of the task.', example: TASK },
  'browser-sessions/id': { description: 'The id of the browser session.', example: SESSION },
  'api-keys/id': { description: 'The id of the key.', example: KEY },
  'members/id': { description: 'The id of the user.', example: MEMBER },
  'invitations/id': { description: 'The id of the invitation.', example: INVITATION },
  'connected-apps/id': { description: 'The id of the connection.', example: APP },
  'webhook-endpoints/id': { description: 'The id of the endpoint.', example: ENDPOINT },
  'webhook-deliveries/id': { description: 'The id of the delivery.', example: DELIVERY },
  'recipes/id': { description: 'The id of the recipe.', example: RECIPE },
  'profiles/id': { description: 'The name of the profile, or its id.', example: 'acme' },
  file_id: { description: 'The id of the file.', example: FILE },
  task_id: { description: 'The id of the task.', example: TASK },
  request_id: { description: 'The id of the input_request.', example: REQUEST },
  step: { description: 'Number of the step, from 1.', example: '4' },
  picture: { description: 'The number of a `picture.taken`.', example: '7' },
  token: {
    description: 'The token of the link: `svc_share_` and 64 hexadecimal digits.',
    example: SHARE_TOKEN,
  },
}
