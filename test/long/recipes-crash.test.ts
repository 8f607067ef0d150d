import { recipeCrashes } from '../e2e/recipes-crash-suite.ts'

await recipeCrashes(Number(process.env.ROUNDS ?? 100))
