import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './command.ts'

export const NAME = 'browser-task-service'

/** Installs the package as npm would, without the network: its files, and links to the packages that it depends on. */
export function install(folder: string): void {
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: ROOT, encoding: 'utf8' }),
  )
  installArchive(folder, join(folder, filename))
}

/** The same for a packed file of it. */
export function installArchive(folder: string, archive: string): void {
  const modules = join(folder, 'node_modules')
  const own = join(modules, NAME)
  mkdirSync(join(modules, '.bin'), { recursive: true })
  mkdirSync(own)
  execFileSync('tar', ['-xzf', archive, '-C', own, '--strip-components=1'])
  const { bin } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'))
  for (const name of Object.keys(bin)) symlinkSync(join(own, bin[name]), join(modules, '.bin', name))
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>
  }
  for (const [path, { dev }] of Object.entries(packages)) {
    const name = path.slice('node_modules/'.length)
    if (path === '' || dev || name.includes('node_modules/') || !existsSync(join(ROOT, path))) continue
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, path), join(modules, name))
  }
}
