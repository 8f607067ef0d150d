import { StringDecoder } from 'node:string_decoder'
import { NetworkError } from '../../net/network-error.ts'
import { AnswerTooLarge } from '../fetch.ts'
import { MODEL_ANSWER_OBJECTS_MAX } from '../limits.ts'

const DATA = 'data:'

/**
 * [L37] Reads server-sent events: `take` is called with the data of each event as soon as its last line has arrived.
 * Comments, names and ids of events are passed over. Pieces may end anywhere, also within a character.
 */
export function createEventReader(take: (data: string) => void) {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let data: string | null = null

  function line(text: string): void {
    if (text === '') {
      if (data !== null) take(data)
      data = null
    } else if (text.startsWith(DATA)) {
      assertObjects(text)
      const value = text.charCodeAt(DATA.length) === SPACE ? text.slice(DATA.length + 1) : text.slice(DATA.length)
      data = data === null ? value : `${data}\n${value}`
    }
  }

  function read(text: string): void {
    let from = 0
    // What is left of the last piece is only joined to, never searched again: events come in thousands of pieces.
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const whole = rest + text.slice(from, end)
      rest = ''
      line(whole.endsWith('\r') ? whole.slice(0, -1) : whole)
      from = end + 1
    }
    rest += text.slice(from)
  }

  return {
    push(chunk: Uint8Array): void {
      read(decoder.write(chunk as Buffer))
    },
    /** The connection has closed: an event without its empty line is read as well. */
    end(): void {
      read(`${decoder.end()}\n\n`)
    },
  }
}

const SPACE = 0x20

/** [L29] An event with more objects than a model can write is not even read: nobody else would be served meanwhile. */
export function assertObjects(text: string): void {
  // An object has two brackets.
  if (text.length < 2 * MODEL_ANSWER_OBJECTS_MAX) return
  let objects = 0
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
    if (++objects > MODEL_ANSWER_OBJECTS_MAX) throw new NetworkError(new AnswerTooLarge())
  }
}
