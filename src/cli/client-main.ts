#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { invocation } from './invocation.ts'
import { bridgeMcp } from './mcp-bridge.ts'
import { addClientCommands, createProgram, runProgram } from './program.ts'

/**
 * [Q21] `browser-task`, the command of the TypeScript client, which clients/generate.ts builds to its
 * `dist/browser-task.js`. A service serves it, so that it can be run without installing it.
 */
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const program = createProgram('browser-task', version).hook('preAction', (_, command) => {
  const address = command.opts<{ service?: string }>().service?.replace(/\/+$/, '')
  if (address) invocation.command = `npx -y ${address}/clients/browser-task-client.tgz`
})
addClientCommands(program, bridgeMcp)
await runProgram(program)
