import { again } from '../support/again.ts'

await again({ store: 'mongodb', wire: 'none' }, ['api/limits-at-once.test.ts'])
