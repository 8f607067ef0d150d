import type * as v from 'valibot'

/** A browser tool as the service knows it: how a model is told of it, and what it takes. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: v.GenericSchema<unknown, Record<string, unknown>>
}

/** Fixes the shape of a tool's file. */
export const defineTool = (tool: Tool): Tool => tool
