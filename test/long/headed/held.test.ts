import { ENDINGS, heldSuite, KINDS } from '../../headed/held.ts'

heldSuite(Object.keys(ENDINGS), Object.keys(KINDS))
