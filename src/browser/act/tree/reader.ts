import type { Reader } from '../../read/types.ts'
import { isGone, type PageFrame } from '../frames.ts'
import { type Call, evaluate } from '../page.ts'
import { askInternals } from './custom-elements.ts'
import { tellClosedRoots, tellExtras } from './extras.ts'

/** As many times a document is read because closed shadow trees turned up in it. */
const ROUNDS_MAX = 3

/** Asks the reader in a frame's document something that can be told by value. */
export async function ask<K extends keyof Reader>(
  call: Call,
  frame: PageFrame,
  method: K,
  ...args: Parameters<Reader[K]>
): Promise<ReturnType<Reader[K]>> {
  const expression = `reader.${method}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`
  const { result, exceptionDetails } = await evaluate(call, expression, frame)
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return result.value as ReturnType<Reader[K]>
}

/**
 * Asks the same after the reader was told what scripts cannot see: who listens, which frame is where, and what is in
 * closed shadow trees. `null` for a frame that has gone meanwhile.
 */
export async function askPrepared<T extends { readonly suspects: number }>(
  call: Call,
  frame: PageFrame,
  question: () => Promise<T>,
): Promise<T | null> {
  const { frames } = call.page
  try {
    await frames.inWorld(call, frame, async (world) => {
      await tellExtras(call, frame, world)
      if (world.customs.count > 0) await askInternals(call, frame, world)
    })
    let answer = await question()
    for (let round = 1; round < ROUNDS_MAX && answer.suspects > 0; round += 1) {
      const world = await frames.world(call, frame)
      const hasRoots = await tellClosedRoots(call, frame, world)
      if (!(await askInternals(call, frame, world)) && !hasRoots) break
      await tellExtras(call, frame, world)
      answer = await question()
    }
    return answer
  } catch (error) {
    if (call.signal.aborted || frame.number === null || !isGone(error)) throw error
    return null
  }
}
