import { simulate } from '../simulation.ts'

/** Prints, for seeds 1 to the number given, which of them find a broken promise. Stops early after `enough` finds. */
const [seeds = 0, enough = 0, change = {}] = process.argv.slice(2).map((each) => JSON.parse(each))
const found: number[] = []
let what = ''
for (let seed = 1; seed <= seeds && found.length < enough; seed++) {
  try {
    await simulate(seed, { change })
  } catch (error) {
    found.push(seed)
    if (what === '') what = String((error as Error).message.split('\n').at(-1))
  }
}
console.log(JSON.stringify({ found, what }))
