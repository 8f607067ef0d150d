import { again } from '../support/again.ts'
import { RELAY } from './files.ts'

await again({ store: 'mongodb', wire: 'node' }, RELAY)
