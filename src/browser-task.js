#!/usr/bin/env node
import { existsSync } from 'node:fs'

const place = (name) => new URL(name, import.meta.url)
// A checkout runs its TypeScript as it is written, the published package what was built of it (deploy/pack.ts).
if (existsSync(place('cli.ts'))) {
  try {
    import.meta.resolve('esbuild')
  } catch {
    console.error('A checkout needs its development packages, too: npm install --include=dev')
    process.exit(1)
  }
  await import('./typescript.js')
  await import('./cli.ts')
} else await import(place('../dist/service/cli.js').href)
