import { heldSuite } from './held.ts'

heldSuite(['Cancel in the bar', 'the tab is closed'], ['fetch', 'form'])
