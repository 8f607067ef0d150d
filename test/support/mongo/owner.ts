import { openMongoStore } from '../../../src/stores/mongodb.ts'

// A process that owns the store of the URL, until it is ended: prints a line when it has it.
const [url = '', address = ''] = process.argv.slice(2)
const store = await openMongoStore({ url, owner: { address } })
store.onLost((reason) => process.stdout.write(`${reason}\n`))
process.stdout.write('owner\n')
setInterval(() => {}, 60_000)
