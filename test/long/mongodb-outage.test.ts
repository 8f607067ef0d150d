import { outage } from '../e2e/outage.ts'

await outage(60)
