import { serveMcpOverStdio } from '../api/mcp/stdio.ts'
import { clientOf, type ServiceOptions } from './client.ts'

/** [Y9] Serves MCP over standard input and output, by a service and a key. Nothing else is printed there. */
export async function mcpCommand(options: ServiceOptions, version: string): Promise<void> {
  await serveMcpOverStdio(clientOf(options), version)
}
