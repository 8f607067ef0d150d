import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Pictures } from '../../src/browser/pictures.ts'
import type { ExecuteTool } from '../../src/wire/relay.ts'
import { eventually } from '../support/eventually.ts'

const test = suite('pictures for people')

const call = (requestId: string, tool = 'computer') => ({ taskId: 'task', requestId, tool, input: {} }) as ExecuteTool

function watched() {
  const sent: string[] = []
  const seen: string[] = []
  let taken = 0
  const pictures = new Pictures({
    take: async () => `jpeg ${++taken}`,
    send: (frame) => sent.push((frame as ExecuteTool).requestId) > 0,
    seen: (_, jpeg) => seen.push(jpeg),
  })
  /** A call that begins, is carried out and leaves the page so. */
  const does = (requestId: string, fingerprint: string | null, tool?: string) => {
    pictures.before(call(requestId, tool))
    pictures.after(call(requestId, tool), fingerprint)
  }
  return { pictures, sent, seen, does }
}

test('[R54] of calls that follow one another at once only the last gets a picture', async () => {
  const { sent, seen, does } = watched()
  for (const at of [1, 2, 3, 4]) does(`c${at}`, `page ${at}`)
  await eventually(() => sent.length > 0, 'a picture')
  does('c5', 'page 5')
  await eventually(() => sent.length > 1, 'the next one')
  assert.equal(sent, ['c4', 'c5'])
  assert.equal(seen, ['jpeg 1', 'jpeg 2'])
})

test('[R54] a call that has left the page as it was, or only looked, gets none', async () => {
  const { sent, does } = watched()
  does('c1', 'page 1')
  await eventually(() => sent.length === 1, 'a picture')
  does('c2', 'page 1')
  does('c3', 'page 3', 'get_page_text')
  does('c4', null)
  await eventually(() => sent.length === 2, 'the picture of what was not read')
  assert.equal(sent, ['c1', 'c4'])
})

test('[R54] a call that only looks or waits keeps back no picture of the one before it', async () => {
  const { pictures, sent, does } = watched()
  does('c1', 'page 1')
  pictures.before(call('c2', 'find'))
  await eventually(() => sent.length === 1, 'a picture while it is searched')
  does('c3', 'page 3')
  pictures.before({ ...call('c4'), input: { action: 'wait', duration: 8 } })
  await eventually(() => sent.length === 2, 'a picture while it waits')
  assert.equal(sent, ['c1', 'c3'])
})

test('[R54] what has ended is not looked at', async () => {
  const { pictures, sent, does } = watched()
  does('c1', 'page 1')
  pictures.ended('task')
  does('c2', 'page 2')
  await eventually(() => sent.length > 0, 'a picture')
  assert.equal(sent, ['c2'])
})

test.run()
