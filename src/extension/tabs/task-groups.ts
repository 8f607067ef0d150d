import type { TabNote } from './tab-notes.ts'

/** What the tab group of a task is called: Chrome may save it, and shows it beside the bookmarks, so it has no words of the task. */
export const groupTitle = (taskId: string): string => `Task ${taskId.slice(0, 4)}`

/**
 * The tab of a task after the extension was reloaded or the browser started again; `null`: there is none. Only a tab in the
 * task's group is one, by its id, or by its address where the browser has restored it under another id. The user may have
 * moved it out: then it is theirs.
 */
export async function findTab({ tabId, taskId, url }: TabNote): Promise<number | null> {
  const groups = (await chrome.tabGroups.query({})).filter(({ title }) => title === groupTitle(taskId))
  const tabs = (await Promise.all(groups.map(({ id }) => chrome.tabs.query({ groupId: id })))).flat()
  if (tabs.some(({ id }) => id === tabId)) return tabId
  const there = (await chrome.debugger.getTargets()).filter((target) => target.url === url)
  return tabs.find(({ id }) => there.some((target) => target.tabId === id))?.id ?? null
}
