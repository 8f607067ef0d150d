import { openApi } from './api.ts'

const LOOK_EVERY_MS = 1_500

/** The page with a pairing link goes on to the tasks by itself once a browser has come that was not there before. */
export async function leaveWhenPaired(element: HTMLElement): Promise<void> {
  const { workspace = '' } = element.dataset
  const api = openApi(workspace)
  const connected = async () => {
    const ids: string[] = []
    for await (const { id, status } of api.browsers.list({ status: 'connected' }))
      if (status === 'connected') ids.push(id)
    return ids
  }
  let before: readonly string[] | null = null
  for (;;) {
    const now = await connected().catch(() => null)
    if (now && before && now.some((id) => !before?.includes(id))) {
      element.textContent = 'The browser is paired.'
      location.assign(`/dashboard?workspace=${workspace}`)
      return
    }
    before ??= now
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
