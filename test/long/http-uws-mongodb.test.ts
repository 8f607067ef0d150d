import { HTTP } from '../api/files.ts'
import { again } from '../support/again.ts'

await again({ store: 'mongodb', wire: 'uws' }, HTTP)
