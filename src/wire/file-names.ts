import { FILE_NAME_CHARS_MAX } from './limits.ts'

/** A name that a page suggests, as one that is kept: its last part, without what no name may have. */
export function plainFileName(suggested: string): string {
  const last = suggested.split(/[/\\]/).at(-1) ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be in a name
  const plain = last.replace(/[\p{Cs}\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]/gu, '_')
  const name = [...plain].slice(0, FILE_NAME_CHARS_MAX / 2).join('')
  return name.trim() === '' || /^\.{1,2}$/.test(name) ? 'download' : name
}
