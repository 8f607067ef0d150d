import { strToU8, zipSync } from 'fflate'
import * as assert from 'uvu/assert'
import { ToolError } from '../../src/browser/act/cdp.ts'
import { textOfResult } from '../../src/browser/act/result.ts'
import type { FileSource } from '../../src/browser/files.ts'
import { Tabs } from '../../src/browser/task-tabs.ts'
import { browserSuite } from '../support/driven-browser.ts'

const test = browserSuite('files of the office are read')

const zip = (files: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const cell = (text: string) => `<w:tc><w:p>${run(text)}</w:p></w:tc>`
const DOCX = zip({
  'word/document.xml': `${HEAD}<w:document ${W}><w:body><w:p>${run('Dear ')}${run('Ada &amp; Co,')}</w:p>
    <w:tbl><w:tr>${cell('Item')}${cell('Price')}</w:tr><w:tr>${cell('Tea')}${cell('4.20')}</w:tr></w:tbl>
    <w:p>${run('Yours')}<w:r><w:br/></w:r>${run('Grace')}</w:p></w:body></w:document>`,
})

const A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
const slide = (...lines: string[]) =>
  `${HEAD}<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" ${A}>${lines
    .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
    .join('')}</p:sld>`
const PPTX = zip({
  'ppt/slides/slide10.xml': slide('The end'),
  'ppt/slides/slide2.xml': slide('Tea', 'and cups'),
  'ppt/slides/slide1.xml': slide('Welcome'),
})

const S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const XLSX = zip({
  'xl/workbook.xml': `${HEAD}<workbook ${S} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">
    <sheets><sheet name="Orders" sheetId="1" r:id="rId1"/><sheet name="Empty" sheetId="2" r:id="rId2"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
    <Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
  'xl/sharedStrings.xml': `${HEAD}<sst ${S}><si><t>Item</t></si><si><r><t>Gre</t></r><r><t>en</t></r></si></sst>`,
  'xl/styles.xml': `${HEAD}<styleSheet ${S}><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd hh:mm"/>
    <numFmt numFmtId="171" formatCode="#,##0.00 &quot;days&quot;"/></numFmts>
    <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>`,
  'xl/worksheets/sheet1.xml': `${HEAD}<worksheet ${S}><sheetData>
    <row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Paid</t></is></c></row>
    <row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2"><v>4.2</v></c><c r="C2" t="b"><v>1</v></c><c r="D2" s="1"><v>45000</v></c>
      <c r="E2" s="2"><v>45000.5</v></c><c r="F2" s="3"><v>12.5</v></c><c r="AA2" t="str"><f>A1</f><v>far</v></c></row>
    </sheetData></worksheet>`,
  'xl/worksheets/sheet2.xml': `${HEAD}<worksheet ${S}><sheetData/></worksheet>`,
})

const EML = strToU8(
  [
    'From: "Ada" <ada@example.com>',
    'To: grace@example.com',
    'Subject: =?utf-8?B?VGVlIGbDvHIgenfDtmxm?=',
    'Date: Wed, 25 Nov 2026 10:00:00 +0000',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '',
    '<p>Twelve <b>cups</b></p><script>run()</script>',
    '--b',
    'Content-Type: application/pdf',
    'Content-Disposition: attachment; filename="bill.pdf"',
    '',
    'x',
    '--b--',
  ].join('\r\n'),
)

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const FILES: Readonly<Record<string, Uint8Array>> = {
  'letter.docx': DOCX,
  'talk.pptx': PPTX,
  'orders.xlsx': XLSX,
  'mail.eml': EML,
  'things.zip': zip({ 'a/b.txt': 'tea', 'c.txt': 'cups' }),
  'orders.csv': strToU8('id,total\n1,4.20\n'),
  'dot.png': PNG,
  'broken.xlsx': XLSX.slice(0, 100),
  'noise.bin': new Uint8Array(Array.from({ length: 300 }, (_, n) => (n * 7) % 256)),
}
const source: FileSource = {
  filesOf: async () =>
    Object.entries(FILES).map(([name, bytes]) => ({
      ...{ id: name, name, mediaType: 'application/octet-stream', size: bytes.length },
      read: async () => bytes,
    })),
  keep: async () => {},
}

test('[U12] docx, pptx, xlsx, eml, zip and csv as text, a picture as one, and what cannot be read is said', async ({
  browser,
  pages,
}) => {
  const tabs = new Tabs(browser, { files: source })
  const never = new AbortController().signal
  const execute = (tool: string, input: Record<string, unknown>) => tabs.execute('task', tool, input, never)
  const read = (name: string) => execute('files', { action: 'read', name })
  const text = async (name: string) => textOfResult(await read(name))
  try {
    await execute('navigate', { url: `${pages.origin}/actions` })
    assert.is(await text('letter.docx'), 'Dear Ada & Co,\nItem | Price\nTea | 4.20\nYours\nGrace')
    assert.is(await text('talk.pptx'), '[Slide 1]\nWelcome\n\n[Slide 2]\nTea\nand cups\n\n[Slide 3]\nThe end')
    const far = ' | '.repeat(20)
    assert.is(
      await text('orders.xlsx'),
      `[Sheet "Orders"]\nItem |  | Paid\nGreen | 4.2 | TRUE | 2023-03-15 | 2023-03-15 12:00:00 | 12.5${far} | far\n\n[Sheet "Empty"]\n`,
    )
    const mail = await text('mail.eml')
    assert.match(mail, /^From: Ada <ada@example\.com>\nTo: <?grace@example\.com>?\n/)
    assert.match(mail, /Subject: Tee für zwölf\nAttachment: "bill\.pdf", application\/pdf\n\nTwelve cups/)
    assert.is(await text('things.zip'), '"a/b.txt", 3 bytes\n"c.txt", 4 bytes')
    assert.is(await text('orders.csv'), 'id,total\n1,4.20\n')
    const picture = await read('dot.png')
    assert.match(textOfResult(picture), 'The file is a picture.')
    assert.ok(picture.screenshot?.startsWith('/9j/'))
    assert.match(await text('noise.bin'), 'The file holds 300 bytes that are not text.')
    try {
      await read('broken.xlsx')
      assert.unreachable()
    } catch (error) {
      assert.instance(error, ToolError)
      assert.match((error as Error).message, 'The file could not be read.')
    }
  } finally {
    await tabs.endAll()
  }
})

await test.run()
