import type { PanelState } from './panel-state.ts'

const COLOURS = { acting: '#2457d6', paused: '#8a5a00', trouble: '#a3201d' } as const

/** What the icon says: whether a task acts in this browser now, whether the user has it, whether something needs them. */
export function badgeOf({ connection, tasks }: Pick<PanelState, 'connection' | 'tasks'>) {
  const running = tasks.filter(({ status }) => status === 'running')
  const asking = running.filter(({ input }) => input !== null).length
  if (asking > 0) {
    return {
      text: '?',
      color: COLOURS.paused,
      title: asking === 1 ? 'A task is waiting for your answer' : `${asking} tasks are waiting for your answer`,
    }
  }
  const paused = running.filter((task) => task.paused).length
  const acting = running.length - paused
  if (acting > 0) {
    return {
      text: String(acting),
      color: COLOURS.acting,
      title: acting === 1 ? 'A task is running' : `${acting} tasks are running`,
    }
  }
  if (paused > 0) return { text: 'II', color: COLOURS.paused, title: 'You have taken over' }
  if (connection === 'unpaired') return { text: '', color: COLOURS.trouble, title: 'Not paired with a service' }
  if (connection === 'connected') return { text: '', color: COLOURS.acting, title: 'Connected, no tasks running' }
  return { text: '!', color: COLOURS.trouble, title: 'No connection to the service' }
}

export async function showBadge(state: PanelState): Promise<void> {
  const { text, color, title } = badgeOf(state)
  await chrome.action.setBadgeBackgroundColor({ color })
  await chrome.action.setBadgeText({ text })
  await chrome.action.setTitle({ title: `Browser tasks: ${title}` })
}
