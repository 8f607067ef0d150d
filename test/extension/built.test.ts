import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { unzipSync } from 'fflate'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('the built extension')

const packageJson = JSON.parse(readFileSync('package.json', 'utf8'))

/** What `npm run extension` writes, in a folder of its own: the folder, by file name, and the zip. */
function built(): { files: Map<string, Buffer>; archive: Buffer } {
  const [program, ...args] = packageJson.scripts.extension.split(' ')
  assert.is(program, 'node')
  const folder = mkdtempSync(join(tmpdir(), 'extension-built-'))
  const script = args.pop()
  const options = args.map((arg: string) =>
    arg === 'tsx' ? pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href : arg,
  )
  const { status, stderr } = spawnSync(process.execPath, [...options, resolve(script)], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.is(status, 0, stderr)
  const made = join(folder, 'dist/extension')
  const names = readdirSync(made, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(made, name)).isFile(),
  )
  const files = new Map(names.sort().map((name) => [name, readFileSync(join(made, name))]))
  const archive = readFileSync(`${made}.zip`)
  rmSync(folder, { recursive: true })
  return { files, archive }
}

const { files, archive } = built()
const text = (name: string): string => files.get(name)?.toString() ?? ''
const manifest = JSON.parse(text('manifest.json'))

test('its permissions are exactly those that are explained, and each is used', () => {
  const docs = readFileSync('docs/extension.md', 'utf8')
  const [, section = ''] = docs.split('\n## Permissions\n')
  const [table = ''] = section.split('\n## ')
  const explained = [...table.matchAll(/^\| `(\w+)` \| .{20,} \|$/gm)].map(([, name]) => name)
  assert.equal(manifest.permissions, explained)
  assert.equal(
    Object.keys(manifest).filter((key) => /permissions|externally|web_accessible/.test(key)),
    ['permissions'],
  )
  for (const permission of manifest.permissions)
    assert.ok(text('worker.js').includes(`chrome.${permission}`), permission)
  // The one script in other people's pages, and the one sort of page that it is in.
  assert.equal(
    manifest.content_scripts.map(({ matches, js }: Record<string, unknown>) => ({ matches, js })),
    [{ matches: ['http://*/pair/*', 'https://*/pair/*'], js: ['pairing.js'] }],
  )
})

test('its policy is strict, and none of its pages needs more: no eval, no script or style in the markup', () => {
  const policy: string = manifest.content_security_policy.extension_pages
  assert.equal(policy.split('; '), [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self' ws: wss: http: https:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
  const scripts = [...files.keys()].filter((name) => name.endsWith('.js'))
  assert.equal(scripts, ['consent.js', 'input.js', 'options.js', 'pairing.js', 'panel.js', 'worker.js'])
  for (const name of scripts)
    assert.not.match(text(name), /\beval\(|\bFunction\(|import\(|https?:\/\/[^"'` ]+\.js\b/, name)
  // The view library can make markup of a text. Nothing of ours has it do so.
  const sources = ['src/extension', 'src/web/client'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|tsx|js)$/.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  )
  for (const source of sources) assert.not.match(source, /dangerouslySetInnerHTML/)
  const pages = [...files.keys()].filter((name) => name.endsWith('.html'))
  assert.equal(pages, ['consent.html', 'input.html', 'options.html', 'panel.html'])
  for (const name of pages) assert.not.match(text(name), /\son\w+=|\sstyle=|<style|<script>|javascript:/, name)
})

test('`npm run extension` writes a folder, and a zip of the same files', () => {
  assert.is(manifest.manifest_version, 3)
  assert.is(manifest.version, packageJson.version)
  for (const size of [16, 32, 48, 128]) assert.ok(files.has(`icons/${size}.png`), `${size}`)
  const zipped = Object.entries(unzipSync(archive)).map(([name, bytes]) => [name, Buffer.from(bytes)])
  assert.equal(zipped.sort(), [...files].sort())
})

test.run()
