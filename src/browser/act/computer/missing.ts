import { ToolError } from '../cdp.ts'

/** An action was asked for without what it needs. */
export const missing = (action: string, fields: string): ToolError => new ToolError(`${action} needs ${fields}.`)
