import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openScene } from './live-scene.ts'
import { SCREEN, states } from './states.ts'

/**
 * Pictures of the pages in every state, to be looked at: empty, with 200 tasks, running, waiting for a person, finished,
 * failed: `node --conditions=development --import tsx test/web/looks-states.ts <folder>`. What is behind them is
 * played; [looks.ts](looks.ts) has pictures of real tasks.
 */
const LOOKS = [
  ['light', 'light', SCREEN],
  ['dark', 'dark', SCREEN],
  ['phone', 'light', { width: 390, height: 844 }],
  ['phone-dark', 'dark', { width: 390, height: 844 }],
  ['narrow', 'light', { width: 320, height: 700 }],
] as const

const folder = process.argv[2] ?? 'dist/looks'
mkdirSync(folder, { recursive: true })
const scene = await openScene()
try {
  for await (const { name, page } of states(scene)) {
    for (const [look, colorScheme, size] of LOOKS) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(size)
      await page.screenshot({
        path: join(folder, `${name}-${look}.png`),
        fullPage: name !== 'tasks-busy',
        animations: 'disabled',
      })
    }
    await page.setViewportSize(SCREEN)
  }
} finally {
  await scene.close()
}
