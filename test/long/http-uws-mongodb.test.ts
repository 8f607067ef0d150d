import { HTTP } from '../http/files.ts'
import { again } from '../support/again.ts'

await again({ store: 'mongodb', wire: 'uws' }, HTTP)
