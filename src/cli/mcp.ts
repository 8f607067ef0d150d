import { BrowserTasks } from '../client/index.ts'
import { serveMcpOverStdio } from '../mcp/stdio.ts'
import { Failed } from './terminal.ts'

/** [Y9] Serves MCP over standard input and output, by a service and a key. Nothing else is printed there. */
export async function mcpCommand(
  { service, key }: { readonly service: string; readonly key?: string },
  version: string,
): Promise<void> {
  if (!key) throw new Failed('No key given. Use --key or set BROWSER_TASK_KEY.')
  if (!/^https?:\/\//i.test(service) || !URL.canParse(service))
    throw new Failed(`${service} is not a valid service address.`)
  await serveMcpOverStdio(new BrowserTasks({ baseUrl: service, key }), version)
}
