import { anythingOverRelay } from './anything-suite.ts'

anythingOverRelay(500)
