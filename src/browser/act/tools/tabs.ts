import type { TabsInput } from '../../../wire/tools.ts'
import { ToolError } from '../cdp.ts'
import { type Call, location } from '../page.ts'
import type { Result } from '../result.ts'
import { titleAndAddress } from '../tree/text.ts'
import type { NumberedTab } from '../workplace.ts'
import { addressOf } from './address.ts'
import { open } from './navigate.ts'

/** Lists, opens, switches and closes the tabs of the task. */
export async function tabs(call: Call, { action, tab, url }: TabsInput): Promise<Result> {
  const { work } = call
  switch (action) {
    case 'list':
      return listed(call)
    case 'open': {
      const address = url === undefined ? null : addressOf(url)
      await work.openTab()
      if (address !== null) await open(work.current.page.call(call.signal, work, call.left()), address)
      return { said: `Opened tab ${work.current.number}. It is the tab of this task now.`, content: '' }
    }
    case 'switch':
      if (tab === undefined) throw new ToolError('switch needs tab.')
      work.switchTab(tab)
      return { said: `Tab ${tab} is the tab of this task now.`, content: await lineOf(call, work.current) }
    case 'close': {
      const number = tab ?? work.current.number
      if (work.tabs.length === 1) throw new ToolError('The only tab of this task is not closed.')
      await work.closeTab(number)
      return { said: `Closed tab ${number}. Tab ${work.current.number} is the tab of this task.`, content: '' }
    }
  }
}

async function listed(call: Call): Promise<Result> {
  const { tabs, current } = call.work
  const lines = await Promise.all(tabs.map((tab) => lineOf(call, tab)))
  return { said: `Tab ${current.number} is the tab of this task.`, content: lines.join('\n') }
}

async function lineOf(call: Call, { number, page }: NumberedTab): Promise<string> {
  if (page.dialogs.open) return `Tab ${number}: (a dialog is open)`
  const at = await location(page.call(call.signal, call.work, call.left()))
  return `Tab ${number}: ${titleAndAddress(at)}`
}
