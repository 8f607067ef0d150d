import { RELAY } from '../relay/files.ts'
import { again } from '../support/again.ts'

await again({ store: 'mongodb', wire: 'uws' }, RELAY)
