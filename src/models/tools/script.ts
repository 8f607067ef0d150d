import { ScriptInput } from '../../wire/tools.ts'
import { defineTool } from './tool.ts'

/** [L41] It never reaches a browser: the service runs it, and what it asks for are calls of the task. */
export const script = defineTool({
  name: 'script',
  description: `Runs JavaScript that does many steps in one call: harvesting pages, repeating an act for each row, waiting. All of these return promises: click(target, {double, button, modifiers, irreversible}), type(target, text, {clear}), set(target, value), key("Enter"), hover(target), drag(from, to), scroll("down", {amount, target}), navigate(url), wait({text | gone | target, s}), find(words) → [{ref, role, name}], read({ref, filter, page}) → tree, text({page}), rows(target) → [[cell, …], …] of a table with all of its pages, tabs({action, tab, url}), dialog({accept, text}), note(words), write(name, text) → a file of the task. log(words) adds to the result. A target is a ref, or {role, name, within} as read_page shows them, which must mean one element. A call that fails throws. At most 200 calls. Example: const all = []; do { all.push(...(await rows({role: "table", name: "Orders"})).slice(1)); try { await click({role: "link", name: "Next"}) } catch { break } } while (true); return all`,
  input: ScriptInput,
})
