/** All that is used of the protocol's own library. */
export { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
export { serveStdio } from '@modelcontextprotocol/server/stdio'
