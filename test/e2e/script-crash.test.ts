import { scriptCrashes } from './script-suite.ts'

await scriptCrashes(3)
