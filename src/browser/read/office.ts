import { strFromU8, type Unzipped, unzipSync } from 'fflate'
import PostalMime, { type Address } from 'postal-mime'
import type { FileContent } from './types.ts'

/** Reads files where the page is, as PDFs are read: what a hostile one costs, its own renderer pays. */
export interface OfficeReader {
  of(base64: string, name: string): Promise<FileContent>
}

const UNZIPPED_BYTES_MAX = 64 * 1024 * 1024
const ENTRIES_LISTED_MAX = 1_000
const PICTURE_SIDE_MAX = 1_568

export const createOfficeReader = (): OfficeReader => ({
  async of(base64, name) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    if (bytes[0] === 0x50 && bytes[1] === 0x4b) return { text: zipText(bytes) }
    if (/\.eml$/i.test(name)) return { text: await mailText(bytes) }
    return pictureOf(bytes)
  },
})

/** An office document in its zip, or the names in any other zip. */
function zipText(bytes: Uint8Array): string {
  const entries: string[] = []
  let size = 0
  const files = unzipSync(bytes, {
    filter({ name, originalSize }) {
      entries.push(`${JSON.stringify(name)}, ${originalSize} bytes`)
      const isRead = /^(word\/document|ppt\/slides\/slide\d+|xl\/.*)\.xml(\.rels)?$|^xl\/_rels\//.test(name)
      if (isRead) size += originalSize
      if (size > UNZIPPED_BYTES_MAX) throw new Error('it is too large')
      return isRead
    },
  })
  const document = files['word/document.xml']
  if (document) return wordText(xml(document))
  if (files['xl/workbook.xml']) return workbookText(files)
  const slides = Object.keys(files).filter((name) => name.startsWith('ppt/'))
  if (slides.length > 0) return slidesText(files, slides)
  const more = entries.length - ENTRIES_LISTED_MAX
  return [...entries.slice(0, ENTRIES_LISTED_MAX), ...(more > 0 ? [`… ${more} more`] : [])].join('\n')
}

const xml = (bytes: Uint8Array): Document => new DOMParser().parseFromString(strFromU8(bytes), 'application/xml')

/** Elements of this local name, whatever its prefix, in their order. */
const all = (node: Document | Element, name: string): Element[] => [...node.getElementsByTagNameNS('*', name)]
const attribute = (element: Element, name: string): string | null =>
  [...element.attributes].find(({ localName }) => localName === name)?.value ?? null

/** The text of a paragraph of WordprocessingML or DrawingML. */
const paragraph = (element: Element): string =>
  [...element.getElementsByTagName('*')]
    .map(({ localName, textContent }) =>
      localName === 't' ? textContent : localName === 'tab' ? '\t' : localName === 'br' ? '\n' : '',
    )
    .join('')

function wordText(document: Document): string {
  const blocks = [...(all(document, 'body')[0]?.children ?? [])].flatMap((block) =>
    block.localName === 'tbl'
      ? all(block, 'tr').map((row) =>
          all(row, 'tc')
            .map((cell) => all(cell, 'p').map(paragraph).join(' '))
            .join(' | '),
        )
      : [paragraph(block)],
  )
  return blocks.join('\n').replace(/\n{3,}/g, '\n\n')
}

function slidesText(files: Unzipped, names: readonly string[]): string {
  const number = (name: string) => Number(/(\d+)\.xml$/.exec(name)?.[1])
  return names
    .toSorted((a, b) => number(a) - number(b))
    .map((name, at) => {
      const lines = all(xml(files[name] as Uint8Array), 'p').map(paragraph)
      return `[Slide ${at + 1}]\n${lines.filter(Boolean).join('\n')}`
    })
    .join('\n\n')
}

/** Of each sheet its rows; a column for each cell, empty ones too. */
function workbookText(files: Unzipped): string {
  const read = (name: string) => (files[name] ? xml(files[name]) : null)
  const strings = all(read('xl/sharedStrings.xml') ?? EMPTY, 'si').map(paragraph)
  const isDate = dateStyles(read('xl/styles.xml') ?? EMPTY)
  const rels = new Map(
    all(read('xl/_rels/workbook.xml.rels') ?? EMPTY, 'Relationship').map((rel) => [
      attribute(rel, 'Id'),
      attribute(rel, 'Target')?.replace(/^\/?(xl\/)?/, 'xl/') ?? '',
    ]),
  )
  return all(read('xl/workbook.xml') ?? EMPTY, 'sheet')
    .map((sheet) => {
      const rows = all(read(rels.get(attribute(sheet, 'id')) ?? '') ?? EMPTY, 'row').map((row) => {
        const cells: string[] = []
        for (const cell of all(row, 'c')) {
          const column = columnOf(attribute(cell, 'r') ?? '') ?? cells.length
          while (cells.length < column) cells.push('')
          cells.push(cellText(cell, strings, isDate))
        }
        return cells.join(' | ')
      })
      return `[Sheet ${JSON.stringify(attribute(sheet, 'name'))}]\n${rows.join('\n')}`
    })
    .join('\n\n')
}
const EMPTY = new DOMParser().parseFromString('<none/>', 'application/xml')

/** `B7` is column 1. */
function columnOf(cell: string): number | null {
  const letters = /^[A-Z]{1,3}/.exec(cell)?.[0]
  if (letters === undefined) return null
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function cellText(cell: Element, strings: readonly string[], isDate: (style: number) => boolean): string {
  const type = attribute(cell, 't')
  if (type === 'inlineStr') return paragraph(cell)
  const value = all(cell, 'v')[0]?.textContent ?? ''
  if (type === 's') return strings[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type !== null && type !== 'n') return value
  return value !== '' && isDate(Number(attribute(cell, 's') ?? 0)) ? dateText(Number(value)) : value
}

/** Which styles show a number as a date or a time. */
function dateStyles(styles: Document): (style: number) => boolean {
  const own = new Set(
    all(styles, 'numFmt')
      .filter((format) =>
        /[ymdhs]/i.test((attribute(format, 'formatCode') ?? '').replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')),
      )
      .map((format) => Number(attribute(format, 'numFmtId'))),
  )
  const formats = all(all(styles, 'cellXfs')[0] ?? styles, 'xf').map((format) => Number(attribute(format, 'numFmtId')))
  return (style) => {
    const id = formats[style] ?? 0
    return own.has(id) || (id >= 14 && id <= 22) || (id >= 45 && id <= 47)
  }
}

/** Days since the end of 1899; a part of a day is its time. */
function dateText(days: number): string {
  const at = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1_000)
  if (Number.isNaN(at.getTime())) return String(days)
  const [date = '', time = ''] = at.toISOString().split(/[T.]/)
  return days < 1 ? time : days % 1 === 0 ? date : `${date} ${time}`
}

async function mailText(bytes: Uint8Array): Promise<string> {
  const mail = await PostalMime.parse(bytes)
  const who = (people: readonly Address[] | undefined) =>
    (people ?? []).map(({ name, address }) => (address ? `${name} <${address}>`.trim() : name)).join(', ')
  const html = mail.html ? new DOMParser().parseFromString(mail.html, 'text/html').body.textContent : ''
  return [
    `From: ${who(mail.from ? [mail.from] : [])}`,
    `To: ${who(mail.to)}`,
    ...(mail.cc?.length ? [`Cc: ${who(mail.cc)}`] : []),
    `Date: ${mail.date ?? ''}`,
    `Subject: ${mail.subject ?? ''}`,
    ...mail.attachments.map(({ filename, mimeType }) => `Attachment: ${JSON.stringify(filename)}, ${mimeType}`),
    '',
    (mail.text || html).trim(),
  ].join('\n')
}

async function pictureOf(bytes: Uint8Array<ArrayBuffer>): Promise<FileContent> {
  const picture = await createImageBitmap(new Blob([bytes])).catch(() => null)
  if (!picture) return null
  const scale = Math.min(1, PICTURE_SIDE_MAX / Math.max(picture.width, picture.height))
  const canvas = new OffscreenCanvas(Math.ceil(picture.width * scale), Math.ceil(picture.height * scale))
  const context = canvas.getContext('2d')
  if (!context) return null
  // A JPEG has no transparency.
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const jpeg = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.8 })).arrayBuffer())
  let text = ''
  for (let at = 0; at < jpeg.length; at += 0x8000) text += String.fromCharCode(...jpeg.subarray(at, at + 0x8000))
  return { jpeg: btoa(text) }
}
