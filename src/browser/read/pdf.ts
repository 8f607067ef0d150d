import { extractText, getDocumentProxy } from 'unpdf'

/** Reads PDFs where the page is: what a hostile one costs, its own renderer pays. */
export interface PdfReader {
  /** The text of the PDF at an address of the document's own site, by pages. Rejects when it cannot be had. */
  at(url: string, bytesMax: number): Promise<readonly string[]>
  /** The text of a PDF in base64, by pages. */
  of(base64: string): Promise<readonly string[]>
}

export const createPdfReader = (): PdfReader => ({
  async at(url, bytesMax) {
    // Not from the cache: the browser's viewer may hold the entry locked while it reads it itself.
    const response = await fetch(url, { cache: 'no-store', credentials: 'include' })
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (bytes.length > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`)
    return textOf(bytes)
  },
  of: (base64) => textOf(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))),
})

async function textOf(bytes: Uint8Array): Promise<readonly string[]> {
  const pdf = await getDocumentProxy(bytes, { isEvalSupported: false })
  const { text } = await extractText(pdf, { mergePages: false })
  return text.map((page) => page.trim())
}
