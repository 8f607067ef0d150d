import type * as v from 'valibot'

/** A tool as the model sees it: name, description and input schema. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: v.GenericSchema<unknown, Record<string, unknown>>
}

/** Fixes the shape of a tool's file. */
export const defineTool = (tool: Tool): Tool => tool
