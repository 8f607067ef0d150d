import { outage } from './outage.ts'

await outage(5)
