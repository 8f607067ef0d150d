import { again } from '../../support/again.ts'
import { HTTP } from './files.ts'

await again({ store: 'mongodb', wire: 'node' }, HTTP)
