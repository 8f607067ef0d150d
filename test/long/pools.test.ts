import { openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'
import { poolsSurvive } from './pools-suite.ts'

poolsSurvive(
  'one process',
  async () => {
    const model = await openJobModel()
    const service = await openService({ env: { ...model.env, BROWSERS: '0' } })
    const { api, relayPort, dataDir } = service
    return {
      ...{ api, relayPort, env: { DATA_DIR: dataDir } },
      async kill() {
        await service.kill()
        service.spawn()
        await service.answers()
      },
      metrics: async () => [await (await fetch(`${service.url}/metrics`)).text()],
      async close() {
        await service.kill()
        await model.endpoint.close()
      },
    }
  },
  1,
)
