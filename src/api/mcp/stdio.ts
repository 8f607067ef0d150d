import type { BrowserTasks } from '../../client/index.ts'
import { serveStdio } from './protocol.ts'
import { createMcpServer } from './tools.ts'

/** [Y9] The same tools over standard input and output; resolves when the client has gone. */
export async function serveMcpOverStdio(client: BrowserTasks, version: string): Promise<void> {
  const ended = new Promise<void>((resolve) => process.stdin.once('close', resolve))
  const handle = serveStdio(() => createMcpServer(client, version))
  await ended
  await handle.close()
}
