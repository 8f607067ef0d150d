import type { Ms } from './records.ts'

/**
 * The UUID of version 7 that has the time in it, and the chance of a random one: it sorts after those that were made a
 * millisecond before. Ids of the same time are next to each other in an index, so that a store changes fewer pages.
 */
export function uuidAt(at: Ms, random: string): string {
  const time = Math.trunc(at).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}

/** A number from 0 to 1 made of a random UUID. Ids are the actors' only source of randomness, so that a simulation is reproducible. */
export const fractionOf = (random: string): number => Number.parseInt(random.slice(0, 8), 16) / 0xffffffff

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether the text can be an id at all: no store need be asked for one that cannot. */
export const isUuid = (text: string): boolean => UUID.test(text)
