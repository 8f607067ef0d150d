const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'
const TOP = 760
const LINE_HEIGHT = 24

/** A PDF of one page with lines of text; characters beyond Latin-1 become question marks. */
export function pdf(lines: readonly string[]): Uint8Array {
  const shown = lines.map((line, at) => `BT /F1 14 Tf 72 ${TOP - at * LINE_HEIGHT} Td (${escaped(line)}) Tj ET`)
  const stream = shown.join('\n')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    FONT,
  ]
  let body = '%PDF-1.4\n'
  const rows = objects.map((object, at) => {
    const row = `${String(body.length).padStart(10, '0')} 00000 n \n`
    body += `${at + 1} 0 obj\n${object}\nendobj\n`
    return row
  })
  const size = objects.length + 1
  const xref = `xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`
  return Buffer.from(
    `${body}${xref}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
    'latin1',
  )
}

const escaped = (text: string): string => text.replace(/[()\\]/g, '\\$&').replace(/[^\n\x20-\x7e\xa0-\xff]/g, '?')
