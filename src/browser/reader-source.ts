let source: Promise<string> | null = null
let pdf: Promise<string> | null = null
let office: Promise<string> | null = null

/**
 * The script that reads documents (read/), as the text of a function which answers a `Reader`. It is bundled on its
 * first use; the build of the extension puts the texts in the place of this module.
 */
export const readerSource = (): Promise<string> => {
  source ??= import('./reader-bundle.ts').then(({ bundleReader }) => bundleReader())
  return source
}

/** The script that reads PDFs, as the text of a function which answers a `PdfReader`. */
export const pdfReaderSource = (): Promise<string> => {
  pdf ??= import('./reader-bundle.ts').then(({ bundlePdfReader }) => bundlePdfReader(false))
  return pdf
}

/** The script that reads office files, mails, zips and pictures, as the text of a function which answers an `OfficeReader`. */
export const officeReaderSource = (): Promise<string> => {
  office ??= import('./reader-bundle.ts').then(({ bundleOfficeReader }) => bundleOfficeReader())
  return office
}
