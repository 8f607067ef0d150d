/** An actor is known by its address alone: `<noun>:<id>`. Actors never hold each other's refs. */
export const NOUNS = ['service', 'janitor', 'workspace', 'admission', 'session', 'call', 'task', 'closing'] as const
export type Noun = (typeof NOUNS)[number]
export type Address = `${Noun}:${string}`

export const serviceAddress = 'service:main' as const
export const janitorAddress = 'janitor:main' as const
export const workspaceAddress = (id: string) => `workspace:${id}` as const
export const admissionAddress = (id: string) => `admission:${id}` as const
export const sessionAddress = (id: string) => `session:${id}` as const
export const callAddress = (requestId: string) => `call:${requestId}` as const
export const taskAddress = (id: string) => `task:${id}` as const
export const closingAddress = (taskId: string) => `closing:${taskId}` as const

/** The noun and the id that an address names. */
export function parseAddress(address: string): { noun: Noun; id: string } {
  const colon = address.indexOf(':')
  return { noun: address.slice(0, colon) as Noun, id: address.slice(colon + 1) }
}
