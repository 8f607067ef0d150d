import type { ToolCall } from '../../machines/records.ts'

/** [I6] Tools and actions that only look. Of a browser that cannot hold, all others need an approval. */
const TOOLS = new Set(['read_page', 'find', 'get_page_text'])
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  computer: ['screenshot', 'zoom', 'wait', 'hover', 'scroll', 'scroll_to'],
  tabs: ['list'],
  files: ['list', 'read'],
}

/** Whether a call changes nothing on a page. */
export const isLook = ({ tool, input }: Pick<ToolCall, 'tool' | 'input'>): boolean =>
  TOOLS.has(tool) || (ACTIONS[tool]?.includes(String(input.action)) ?? false)
