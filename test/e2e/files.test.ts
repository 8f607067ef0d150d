import { runBrowser } from '../../src/browser/headless.ts'
import { readConfig } from '../../src/config/config.ts'
import { startService } from '../../src/main.ts'
import { openLog } from '../../src/observe/log.ts'
import { suiteWithBrowser } from '../cli/with-browser.ts'
import { eventually } from '../support/eventually.ts'
import { Api } from '../support/service/api.ts'
import { tempFolder } from '../support/stores.ts'
import { downloadsAll, filesModel, openFilesSite, uploadsAndDownloads } from './files-site.ts'

const TASK_MS_MAX = 60_000

const test = suiteWithBrowser('files of tasks in the headless browser')

test('[U1 U4 U5 U6] a file given with a task is uploaded, a download is read and kept; forms and scripts download, too', async () => {
  const site = await openFilesSite()
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    RELAY_PORT: '0',
    DATA_DIR: tempFolder(),
    LOG_LEVEL: 'silent',
    VERIFY: 'off',
  })
  const service = await startService({ config, log: openLog({ level: 'silent' }), model: filesModel(site.url) })
  const api = new Api(service.url, service.firstKey ?? '')
  const { pairing_token: pairingToken } = (await api.post('/v1/browser-sessions/pair')).json
  const browser = await runBrowser({ serviceUrl: service.url, pairingToken, log: () => {} })
  const sessionId = browser.sessionId ?? ''
  try {
    const isConnected = async () => (await api.get('/v1/browser-sessions')).json.sessions[0].status === 'connected'
    await eventually(isConnected, 'the browser')
    await uploadsAndDownloads(api, site, sessionId, TASK_MS_MAX)
    await downloadsAll(api, sessionId, TASK_MS_MAX)
  } finally {
    await browser.close()
    await service.stop()
    site.close()
  }
})

await test.run()
