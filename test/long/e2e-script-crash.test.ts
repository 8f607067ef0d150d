import { scriptCrashes } from '../e2e/script-suite.ts'

await scriptCrashes(100)
