import { FindInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

export const find = defineTool({
  name: 'find',
  description:
    'Finds elements on the page by visible text, label, placeholder, role or purpose. Returns up to 20 matches, best first, each with a ref. Cheaper than read_page when you know what you are looking for.',
  input: FindInput,
})
