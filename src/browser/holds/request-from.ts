import type { Answer, CdpSession } from '../act/cdp.ts'

/** Has the page of a tab request an address, in a world of its own; nobody waits for what comes of it. */
export async function requestFrom({ send }: Pick<CdpSession, 'send'>, address: string): Promise<void> {
  const frame = async () => ((await send('Page.getFrameTree')) as Answer<'Page.getFrameTree'>).frameTree.frame
  // Of an empty page that there was before, a session of the whole browser pauses nothing.
  if ((await frame()).url === 'about:blank') await send('Page.navigate', { url: 'about:blank' })
  const world = { frameId: (await frame()).id, worldName: 'browser-task-self-test' }
  const { executionContextId } = (await send('Page.createIsolatedWorld', world)) as Answer<'Page.createIsolatedWorld'>
  const expression = `void fetch(${JSON.stringify(address)}, { method: 'POST', mode: 'no-cors', body: 'x' }).catch(() => {})`
  await send('Runtime.evaluate', { expression, contextId: executionContextId })
}
