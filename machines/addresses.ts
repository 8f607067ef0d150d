/** An actor is known by its address alone: `<actorKind>:<id>`. Actors never hold each other's refs. */
export const ACTOR_KINDS = ['shard', 'service', 'workspace', 'session', 'call', 'task', 'closing', 'delivery'] as const
export type ActorKind = (typeof ACTOR_KINDS)[number]
export type Address = `${ActorKind}:${string}`

export const serviceAddress = 'service:main' as const
export const shardAddress = (shard: number) => `shard:${shard}` as const
export const workspaceAddress = (id: string) => `workspace:${id}` as const
export const sessionAddress = (id: string) => `session:${id}` as const
export const callAddress = (requestId: string) => `call:${requestId}` as const
export const taskAddress = (id: string) => `task:${id}` as const
export const closingAddress = (taskId: string) => `closing:${taskId}` as const
export const deliveryAddress = (id: string) => `delivery:${id}` as const

/** The actorKind and the id that an address names. */
export function parseAddress(address: string): { actorKind: ActorKind; id: string } {
  const colon = address.indexOf(':')
  return { actorKind: address.slice(0, colon) as ActorKind, id: address.slice(colon + 1) }
}
