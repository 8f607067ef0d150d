import { openLog } from '../../src/log.ts'
import { openModel } from '../../src/models/open.ts'
import { downloadsAll, filesScript, openFilesSite, uploadsAndDownloads } from '../e2e/files-site.ts'
import { extensionSuite } from './browser.ts'
import { openScene, pair } from './scene.ts'

const TASK_MS_MAX = 60_000
const site = await openFilesSite()
const model = openModel(
  { provider: 'scripted', model: null, baseUrl: null, apiKey: null, script: filesScript(site.url) },
  openLog({ level: 'silent' }),
)
const test = extensionSuite(
  'files of tasks in the extension',
  () => openScene(model),
  async (scene) => {
    await scene.close()
    site.close()
  },
)

test('[U1 U4 U5 U6] a file given with a task is uploaded, a download is read and kept; forms and scripts download, too', async (scene) => {
  const session = await pair(scene)
  await uploadsAndDownloads(scene.api, site, session, TASK_MS_MAX)
  await downloadsAll(scene.api, session, TASK_MS_MAX)
})

await test.run()
