import { again } from '../support/again.ts'

const FILES = ['handshake', 'calls', 'model-requests', 'panel'].map((name) => `relay/${name}.test.ts`)
await again({ store: 'mongodb', wire: 'none' }, FILES)
