import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A letter as it came over the wire. */
export interface Letter {
  readonly from: string
  readonly to: string
  readonly subject: string
  /** The first link in it. */
  readonly link: string
}

/** A mail server on a loopback port that keeps what it is handed. */
export async function openMailServer(): Promise<{ url: string; letters: Letter[]; close(): Promise<void> }> {
  const letters: Letter[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      let text = ''
      stream.setEncoding('utf8')
      stream.on('data', (part) => {
        text += part
      })
      stream.on('end', () => {
        const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'mi').exec(text)?.[1]?.trim() ?? ''
        // Long lines are folded with a = at their end (quoted-printable).
        const whole = text.replace(/=\r?\n/g, '').replace(/=3D/g, '=')
        const link = /https?:\/\/\S+/.exec(whole)?.[0] ?? ''
        const to = envelope.rcptTo.map(({ address }) => address).join()
        letters.push({ from: header('From'), to, subject: header('Subject'), link })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    letters,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
