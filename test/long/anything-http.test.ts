import { anythingOverHttp } from '../api/anything-suite.ts'

// There are nineteen routes and more: at least 20,000 requests.
await anythingOverHttp(1_100)
