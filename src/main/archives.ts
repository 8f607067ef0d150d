import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packed } from '../packed.ts'
import { packageFiles, tarball } from '../web/archive.ts'
import type { ArchivesPort } from '../web/archives.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BUILD_MS_MAX = 5 * 60_000

/**
 * [P45] The archives under /clients: the package that runs here has those of its clients, and is packed as it is. A
 * checkout builds all of them in a process of its own, as they would be published, and changes no file of itself.
 */
export function createArchives(): ArchivesPort {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const names = {
    typescript: 'browser-task-client.tgz',
    python: `browser_task_client-${version}-py3-none-any.whl`,
    service: 'browser-task-service.tgz',
  }
  return {
    names,
    async read() {
      const client = await packed(`clients/${names.typescript}`)
      if (client === null) return built()
      return new Map([
        [names.typescript, client],
        [names.python, (await packed(`clients/${names.python}`)) ?? new Uint8Array()],
        [names.service, await tarball(await packageFiles(ROOT))],
      ])
    },
  }
}

async function built(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = await mkdtemp(join(tmpdir(), 'browser-task-archives-'))
  try {
    const args = ['--conditions=development', '--import', './src/typescript.js', 'deploy/pack.ts', folder]
    // What it needs of the environment, and none of the service's keys.
    const { PATH, HOME, TMPDIR } = process.env
    const env = { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) }
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env, timeout: BUILD_MS_MAX })
    const found = await readdir(folder)
    return new Map(await Promise.all(found.map(async (name) => [name, await readFile(join(folder, name))] as const)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
