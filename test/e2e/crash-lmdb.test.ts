import { crashes } from './crash-suite.ts'

await crashes('lmdb')
