import { readFile } from 'node:fs/promises'
import type { Download } from './files.ts'

/** A download as the headless browser's driver tells of it. */
interface BrowserDownload {
  suggestedFilename(): string
  url(): string
  failure(): Promise<string | null>
  path(): Promise<string>
}

/** The download, whose file can be read once it is whole. */
export const downloadOf = (download: BrowserDownload): Download => ({
  name: download.suggestedFilename(),
  url: download.url(),
  ended: download.failure().then(
    (failure) => failure === null,
    () => false,
  ),
  read: async () => readFile(await download.path()),
})
