import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './ports.ts'
import { tempFolder } from './stores.ts'

/** Where it is installed, if it is. */
export const nginx = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find(existsSync)

/** All that most people write; the rest is what nginx, or Debian's package, does by itself. */
export const BARE = 'server {\n  listen 80;\n  location / {\n    proxy_pass http://127.0.0.1:3456;\n  }\n}\n'
export const DEPLOYED = readFileSync('deploy/nginx.conf', 'utf8')

/** nginx with the settings of its package and this site, on a free port. */
export async function startNginx(site: string, servicePort: string): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = tempFolder()
  const port = await freePort()
  const own = site
    .replace('listen 80', `listen 127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:3456', `127.0.0.1:${servicePort}`)
  const file = join(folder, 'nginx.conf')
  const conf = settings()
    .replace(/^(user|include .*modules-enabled).*$/gm, '')
    .replace(/^pid .*$/m, `pid ${folder}/pid;`)
    .replace(/(access_log|error_log) [^;]*;/g, `$1 ${folder}/log;`)
    .replace(/include [^;]*sites-enabled[^;]*;/, () => own)
  writeFileSync(file, conf)
  const child = spawn(nginx ?? '', ['-p', folder, '-e', join(folder, 'log'), '-c', file, '-g', 'daemon off;'])
  const url = `http://127.0.0.1:${port}`
  const answers = () => fetch(url).then(Boolean, () => false)
  await eventually(answers, 'nginx answers', 10_000)
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Those of Debian's package where it is installed. */
function settings(): string {
  const file = '/etc/nginx/nginx.conf'
  const packaged = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return packaged.includes('sites-enabled')
    ? packaged
    : 'pid nginx.pid;\nevents {}\nhttp {\n  access_log off;\n  include sites-enabled/*;\n}\n'
}
