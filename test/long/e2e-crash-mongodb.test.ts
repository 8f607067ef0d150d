import { crashes } from '../e2e/crash-suite.ts'

await crashes('mongodb')
