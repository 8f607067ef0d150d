import { driverContract } from '../stores/driver-contract.ts'
import { SimulatedDriver, type Wire } from './database/driver.ts'
import { Rows } from './database/rows.ts'

const later = async <T>(happen: () => T) => {
  for (let turns = Math.floor(Math.random() * 4); turns >= 0; turns--) await null
  return happen()
}
const wire: Wire = {
  read: (_label, _table, look) => later(look),
  write: (_label, _tables, change) => later(change),
}
const rows = new Rows()
const contract = await driverContract('[D1 D12] the simulated driver of the port', {
  open: async () => new SimulatedDriver(rows, wire),
  remove: async () => {},
})
contract.run()
