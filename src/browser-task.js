#!/usr/bin/env node
// The command line is TypeScript and runs as it is written.
import './typescript.js'

await import('./cli.ts')
