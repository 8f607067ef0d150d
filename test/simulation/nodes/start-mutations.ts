import type { Mutation } from '../mutations/list.ts'
import { CANCELLED_AT_A_HAND_OVER, STOPPED_WITH_A_START } from './scenes.ts'

/** Each takes away something that makes a start that comes twice, or at two nodes, one task. */
export const START_MUTATIONS: readonly Mutation[] = [
  {
    name: 'the owner does not look for a start that another node may have begun',
    file: 'actors/cluster/desk.ts',
    from: 'again || start.taskId !== undefined',
    to: 'again',
    plan: STOPPED_WITH_A_START,
  },
  {
    name: 'a start that is sent again has an id of its own',
    file: 'src/http/idempotency.ts',
    from: 'const next = again ? { ...claim, createdId: kept.createdId } : claim',
    to: 'const next = claim',
  },
  {
    name: 'a start that is sent again does not look for the first one',
    file: 'src/http/routes/task-start.ts',
    from: 'claim?.again ? await taskService.task(principal.workspaceId, claim.createdId) : null',
    to: 'claim?.again && false ? await taskService.task(principal.workspaceId, claim.createdId) : null',
    also: [{ file: 'actors/cluster/desk.ts', from: 'again || start.taskId !== undefined', to: 'again' }],
  },
  {
    name: 'a refused retry lets the id of its start go',
    file: 'src/http/idempotency.ts',
    from: 'again ? { ...claim, isFree: true } : null',
    to: 'null',
    plan: STOPPED_WITH_A_START,
  },
  {
    name: 'a retry is answered with what its failed start has left',
    file: 'src/http/routes/task-start.ts',
    from: 'if (task?.isLeft) throw new StoreUnwritable(REFUSALS.store_away)\n',
    to: '',
    plan: CANCELLED_AT_A_HAND_OVER,
  },
]
