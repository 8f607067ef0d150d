import { contexts } from '../browser/contexts-suite.ts'

await contexts(20, 10)
