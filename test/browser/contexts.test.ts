import { contexts } from './contexts-suite.ts'

await contexts(4, 2)
