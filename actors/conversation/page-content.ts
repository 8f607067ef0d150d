const OPENED = '<page_content>\n'

const CLOSED = '\n</page_content>'

/** What a page said, marked as such. A page cannot close the mark itself, however it spells it. */
export const pageContent = (text: string): string =>
  `${OPENED}${text.replaceAll(/<(\s*)\/(\s*page_content)/gi, '<$1\\/$2')}${CLOSED}`

/** All that pages said in a result: the inside of its marks. */
export const pageContentIn = (text: string): string =>
  text
    .split(OPENED)
    .slice(1)
    .map((part) => part.split(CLOSED)[0])
    .join('\n')

/** The rest of a result: the words of the tool and of the service. */
export const saidIn = (text: string): string =>
  text
    .split(OPENED)
    .map((part, at) => (at === 0 ? part : part.split(CLOSED).slice(1).join(CLOSED)))
    .join('\n')
    .trim()

/** [T44] What the model read without the marks of `pageContent`: for people. */
export const withoutMarks = (text: string): string =>
  text
    .replaceAll(OPENED, '')
    .replaceAll(CLOSED, '')
    .replaceAll(/<(\s*)\\\/(\s*page_content)/gi, '<$1/$2')

/** The beginning of what the model read before, with a note. What is a page's stays marked to its end. */
export function shortened(text: string, chars: number, note: string): string {
  const beginning = text.slice(0, chars)
  return `${beginning}${beginning.lastIndexOf(OPENED) > beginning.lastIndexOf(CLOSED) ? CLOSED : ''}\n${note}`
}
