import { downloadsAll, filesModel, openFilesSite, uploadsAndDownloads } from '../e2e/files-site.ts'
import { extensionSuite } from '../extension/browser.ts'
import { openScene, pair } from '../extension/scene.ts'

const TASK_MS_MAX = 60_000
const site = await openFilesSite()
const test = extensionSuite(
  'files of tasks in the extension',
  () => openScene(filesModel(site.url)),
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
