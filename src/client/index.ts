/** The client for programs: the service's own pages, commands and MCP tools use it, too. */
export * from '../../clients/typescript/src/index.ts'
