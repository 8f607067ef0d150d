import { contexts } from '../browser/contexts-suite.ts'

await contexts(40, 20)
