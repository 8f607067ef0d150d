import { anythingOverRelay } from './anything-suite.ts'

anythingOverRelay(60)
