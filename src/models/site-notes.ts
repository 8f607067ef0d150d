import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SiteNotes } from '../../actors/runtime/ports.ts'
import { ConfigError } from '../config/config.ts'

/** Of one file: as much as the model reads at most of a page that has changed. */
export const SITE_NOTE_CHARS_MAX = 6_000

const FILE = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)*[a-z\d](?:[a-z\d-]*[a-z\d])?\.md$/

/**
 * [L38] Reads the operator's notes on sites: a folder with a file for each domain, named as `example.com.md`, which holds
 * for its subdomains, too, unless they have a file of their own.
 * @throws ConfigError for a folder or a file that cannot be read, or a file that is too long or named otherwise.
 */
export async function readSiteNotes(folder: string): Promise<SiteNotes> {
  const notes = new Map<string, string>()
  for (const name of await read(folder, () => readdir(folder))) {
    if (!name.endsWith('.md') || name === 'README.md') continue
    if (!FILE.test(name)) throw new ConfigError(`SITE_NOTES ${join(folder, name)} must be named as example.com.md`)
    const text = (await read(join(folder, name), () => readFile(join(folder, name), 'utf8'))).trim()
    if (text.length > SITE_NOTE_CHARS_MAX) {
      throw new ConfigError(`SITE_NOTES ${join(folder, name)} is longer than ${SITE_NOTE_CHARS_MAX} characters`)
    }
    if (text !== '') notes.set(name.slice(0, -'.md'.length), text)
  }
  return (url) => {
    const { hostname = '' } = URL.canParse(url) ? new URL(url) : {}
    for (let domain = hostname; domain !== ''; domain = domain.split('.').slice(1).join('.')) {
      const text = notes.get(domain)
      if (text !== undefined) return { domain, text }
    }
    return null
  }
}

async function read<T>(path: string, reading: () => Promise<T>): Promise<T> {
  try {
    return await reading()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new ConfigError(`SITE_NOTES ${path} cannot be read: ${code}`)
  }
}
