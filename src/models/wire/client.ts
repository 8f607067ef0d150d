import { gunzipSync, inflateSync } from 'node:zlib'
import { MODEL_ATTEMPT_MS_MAX } from '../../../machines/limits.ts'
import { NetworkError } from '../../net/network-error.ts'
import { type AnswerReader, type OutgoingRequest, openOutgoing } from '../../net/outgoing.ts'
import { EndpointRefusal, UnreadableAnswer } from '../failure.ts'
import { AnswerTooLarge, EVENT_STREAM } from '../fetch.ts'
import type { Generated, Hear } from '../generated.ts'
import { MODEL_ANSWER_BYTES_MAX, MODEL_CONNECTION_IDLE_MS, MODEL_STREAM_BYTES_MAX } from '../limits.ts'
import type { Ask, Connection, Provider } from '../provider.ts'
import type { Form } from './form.ts'
import { assertObjects, createEventReader } from './sse.ts'
import type { StreamReader, Wire } from './wire.ts'

const outgoing = openOutgoing({
  keepAliveMs: MODEL_CONNECTION_IDLE_MS,
  silenceMs: MODEL_ATTEMPT_MS_MAX,
  answerBytesMax: MODEL_STREAM_BYTES_MAX,
})

/** A provider whose API we speak ourselves: one request for each `ask`, its answer read as it arrives. */
export function wireProvider(wire: Wire, form: Form, baseUrl: string, { apiKey }: Connection): Provider {
  const url = `${baseUrl.replace(/\/+$/, '')}${wire.path}`
  const headers = {
    'content-type': 'application/json',
    // A compressed answer would have to be unpacked here.
    'accept-encoding': 'identity',
    ...wire.headers(apiKey),
  }
  return {
    form,
    inForm(form): Ask {
      const write = wire.body(form)
      return (request, signal, hear) => {
        const { traceparent } = request
        const wanted = {
          method: 'POST',
          headers: traceparent ? { ...headers, traceparent } : headers,
          body: write(request),
          signal,
        }
        return exchange(url, wanted, wire, hear)
      }
    },
  }
}

async function exchange(url: string, wanted: OutgoingRequest, wire: Wire, hear: Hear): Promise<Generated> {
  const reader = createAnswerReader(wire, hear)
  await outgoing.read(url, wanted, reader)
  return reader.end()
}

function createAnswerReader(wire: Wire, hear: Hear): AnswerReader & { end(): Generated } {
  let status = 0
  let headers: Readonly<Record<string, string>> = {}
  let stream: StreamReader | null = null
  let hasEnded = false
  const chunks: Uint8Array[] = []
  let bytes = 0
  const events = createEventReader((data) => {
    // What comes after the end of a reply is none of it.
    if (!hasEnded) hasEnded = stream?.event(data) ?? false
  })
  const isStream = () => headers['content-type']?.includes(EVENT_STREAM) ?? false
  return {
    head(answer) {
      status = answer.status
      headers = answer.headers
      if (status < 300 && isStream()) stream = wire.reader(hear)
    },
    chunk(chunk) {
      if (stream && !('content-encoding' in headers)) {
        events.push(chunk)
        return hasEnded
      }
      bytes += chunk.length
      if (bytes > MODEL_ANSWER_BYTES_MAX) throw new NetworkError(new AnswerTooLarge())
      chunks.push(chunk)
      return false
    },
    end() {
      const body = unpacked(Buffer.concat(chunks), headers['content-encoding'])
      if (status >= 300) throw new EndpointRefusal(status, headers, body.toString())
      if (stream) {
        if (body.length > 0) events.push(body)
        if (!hasEnded) events.end()
        return stream.end()
      }
      const text = body.toString()
      assertObjects(text)
      return wire.whole(parsed(text))
    },
  }
}

/** Some gateways compress although nobody asked for it. */
function unpacked(body: Buffer, encoding = 'identity'): Buffer {
  const options = { maxOutputLength: MODEL_STREAM_BYTES_MAX }
  try {
    if (encoding === 'gzip') return gunzipSync(body, options)
    return encoding === 'deflate' ? inflateSync(body, options) : body
  } catch {
    throw new UnreadableAnswer()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableAnswer()
  }
}
