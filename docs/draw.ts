import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { machinesPage } from './drawings.ts'
import { statecharts } from './statecharts/statecharts.ts'

/**
 * `npm run docs`: draws every machine of machines/ as the statechart that the inspector and docs/machines show. Drawings
 * of machines that are gone are removed.
 */
const drawn = {
  'docs/machines': new Map([['README.md', await machinesPage('machines')]]),
  'src/observe/inspector/drawings': await statecharts('machines'),
}
for (const [folder, files] of Object.entries(drawn)) {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name))
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
}
const machines = [...drawn['src/observe/inspector/drawings'].keys()].filter((name) => name.endsWith('.svg'))
console.log(`${machines.length} machines drawn into src/observe/inspector/drawings`)
