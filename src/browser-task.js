#!/usr/bin/env node
// The command line is TypeScript and runs as it is written: this file teaches Node to read it. Our own tsconfig is named
// because the person's folder may hold another.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { register } from 'tsx/esm/api'

const tsconfig = fileURLToPath(new URL('../tsconfig.json', import.meta.url))
register({ tsconfig: existsSync(tsconfig) ? tsconfig : false })
await import('./cli.ts')
