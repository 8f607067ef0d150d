import { anythingOverRelay } from '../relay/anything-suite.ts'

// Ten kinds of frame: at least 20,000 of them.
anythingOverRelay(2_000)
