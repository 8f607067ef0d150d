import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readSiteNotes, SITE_NOTE_CHARS_MAX } from '../../src/models/site-notes.ts'

const test = suite('notes on sites')
let folder: string
test.before.each(async () => {
  folder = await mkdtemp(join(tmpdir(), 'site-notes-'))
})
test.after.each(() => rm(folder, { recursive: true }))
const write = (name: string, text: string) => writeFile(join(folder, name), text)
const refusal = async (of = folder) =>
  String(
    await readSiteNotes(of).then(
      () => 'accepted',
      (error: Error) => `${error.name}: ${error.message}`,
    ),
  )

test('[L38] a file is for its domain and those below it, the nearest one counts', async () => {
  await write('example.com.md', '\nNo cookies, please.\n')
  await write('shop.example.com.md', 'The cart is at the top.')
  await write('localhost.md', 'A test.')
  await write('README.md', 'What this folder is.')
  await write('empty.org.md', ' ')
  const notes = await readSiteNotes(folder)
  assert.equal(notes('https://example.com/a?b'), { domain: 'example.com', text: 'No cookies, please.' })
  assert.is(notes('https://www.EXAMPLE.com:8443')?.domain, 'example.com')
  assert.is(notes('https://de.shop.example.com/')?.text, 'The cart is at the top.')
  assert.is(notes('http://localhost:3000/')?.text, 'A test.')
  for (const other of ['https://notexample.com', 'https://com', 'about:blank', 'nowhere', '', 'https://empty.org'])
    assert.is(notes(other), null, other)
})

test('[L38] what cannot be used is named in one line', async () => {
  assert.match(await refusal(join(folder, 'none')), /^ConfigError: SITE_NOTES \S+none cannot be read: ENOENT$/)
  await write('https:example.com.md', 'x')
  assert.match(await refusal(), /SITE_NOTES \S+https:example\.com\.md must be named as example\.com\.md$/)
  await rm(join(folder, 'https:example.com.md'))
  await write('a.org.md', 'x'.repeat(SITE_NOTE_CHARS_MAX + 1))
  assert.match(await refusal(), /SITE_NOTES \S+a\.org\.md is longer than 6000 characters$/)
  await rm(join(folder, 'a.org.md'))
  await mkdir(join(folder, 'b.org.md'))
  assert.match(await refusal(), /SITE_NOTES \S+b\.org\.md cannot be read: EISDIR$/)
})

test.run()
