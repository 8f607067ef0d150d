import { join } from 'node:path'
import { LmdbFile } from '../../src/stores/lmdb/database.ts'
import { LmdbDriver } from '../../src/stores/lmdb/driver.ts'
import { tempFolder } from '../support/stores.ts'
import { driverContract } from './driver-contract.ts'

const folder = tempFolder()
const files: LmdbFile[] = []

const test = await driverContract('the driver of lmdb', {
  async open() {
    const [main, large] = [new LmdbFile(join(folder, 'main')), new LmdbFile(join(folder, 'large'))]
    files.push(main, large)
    return new LmdbDriver(main, large)
  },
  // The folder goes with the process.
  remove: async () => void (await Promise.all(files.map((file) => file.close()))),
})
test.run()
