import { RELAY } from '../relay/files.ts'
import { again } from '../support/again.ts'

await again({ store: 'lmdb', wire: 'node' }, RELAY)
