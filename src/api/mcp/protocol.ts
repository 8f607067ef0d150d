/** All that is used of the protocol's own library. */
export {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
export { serveStdio } from '@modelcontextprotocol/server/stdio'
