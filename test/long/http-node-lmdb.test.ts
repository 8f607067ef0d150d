import { HTTP } from '../api/files.ts'
import { again } from '../support/again.ts'

await again({ store: 'lmdb', wire: 'node' }, HTTP)
