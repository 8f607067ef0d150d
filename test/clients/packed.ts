import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildTypescript } from '../../clients/generate.ts'

const SOURCE = 'clients/typescript'

/**
 * The TypeScript client as somebody has it who installs its packed file: `folder` is otherwise empty and has it in its
 * `node_modules`. `bytes` is the size of the packed file.
 */
export async function installTypescriptClient() {
  const folder = mkdtempSync(join(tmpdir(), 'browser-task-client-'))
  const source = join(folder, 'source')
  mkdirSync(source)
  for (const file of ['package.json', 'README.md', 'LICENSE']) cpSync(join(SOURCE, file), join(source, file))
  await buildTypescript(join(source, 'dist'))
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  npm('pack', './source', '--pack-destination', '.')
  rmSync(source, { recursive: true })
  const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  npm('install', '--offline', '--no-audit', '--no-fund', `./${packed}`)
  return {
    folder,
    bytes: statSync(join(folder, packed)).size,
    bundle: join(folder, 'node_modules/browser-task-client/dist/index.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
