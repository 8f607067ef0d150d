import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { zipSync } from 'fflate'

/** The first day that a zip file can name, so that the same files make the same wheel. */
const FIRST_DAY = new Date(1980, 0, 1)

/**
 * The wheel of the Python client in a folder, and the name that pip wants it to have. Its modules are Python alone, so it
 * is a zip file with a description, and needs no Python to be made.
 */
export function pythonWheel(folder: URL): { readonly name: string; readonly bytes: Uint8Array } {
  const text = (name: string) => readFileSync(new URL(name, folder), 'utf8')
  const project = text('pyproject.toml')
  const setting = (name: string) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(project)?.[1] ?? ''
  const [, listed = ''] = /^dependencies = \[(.*)\]$/m.exec(project) ?? []
  const [distribution, version] = [setting('name').replaceAll('-', '_'), setting('version')]
  const info = `${distribution}-${version}.dist-info`
  const source = `src/${distribution}/`
  const modules = readdirSync(new URL(source, folder)).filter((name) => /\.py$|^py\.typed$/.test(name))
  const files: Record<string, string> = {
    ...Object.fromEntries(modules.sort().map((name) => [`${distribution}/${name}`, text(source + name)])),
    [`${info}/licenses/LICENSE`]: text('LICENSE'),
    [`${info}/METADATA`]: `${[
      'Metadata-Version: 2.4',
      `Name: ${setting('name')}`,
      `Version: ${version}`,
      `Summary: ${setting('description')}`,
      `License-Expression: ${setting('license')}`,
      `Requires-Python: ${setting('requires-python')}`,
      'Description-Content-Type: text/markdown',
      'License-File: LICENSE',
      ...[...listed.matchAll(/"(.*?)"/g)].map(([, each]) => `Requires-Dist: ${each}`),
    ].join('\n')}\n\n${text('README.md')}`,
    [`${info}/WHEEL`]:
      'Wheel-Version: 1.0\nGenerator: browser-task-service\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  }
  const lines = Object.entries(files).map(([name, content]) => {
    const hash = createHash('sha256').update(content).digest('base64url')
    return `${name},sha256=${hash},${Buffer.byteLength(content)}\n`
  })
  files[`${info}/RECORD`] = `${lines.join('')}${info}/RECORD,,\n`
  const bytes = Object.entries(files).map(([name, content]) => [name, Buffer.from(content)] as const)
  return {
    name: `${distribution}-${version}-py3-none-any.whl`,
    bytes: zipSync(Object.fromEntries(bytes), { level: 9, mtime: FIRST_DAY }),
  }
}
