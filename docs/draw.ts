import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawings } from './drawings.ts'

/** `npm run docs`: draws every machine of machines/ into docs/machines/, and removes drawings of machines that are gone. */
const folder = 'docs/machines'
const drawn = await drawings('machines')
mkdirSync(folder, { recursive: true })
for (const name of readdirSync(folder)) if (name.endsWith('.md') && !drawn.has(name)) rmSync(join(folder, name))
for (const [name, text] of drawn) writeFileSync(join(folder, name), text)
console.log(`${drawn.size - 1} machines drawn into ${folder}`)
