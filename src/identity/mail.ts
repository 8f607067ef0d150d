import type { Log } from '../../actors/runtime/ports.ts'
import { SECOND_MS } from '../../machines/limits.ts'
import type { MailConfig } from '../config/config.ts'

const SMTP_MS_MAX = 10 * SECOND_MS

/** An e-mail with one link that lets its reader do something. */
export interface Mail {
  readonly to: string
  readonly subject: string
  /** What the link is for, in sentences; the link follows it. */
  readonly text: string
  /** Empty: there is none. */
  readonly link: string
}

/** Hands in an e-mail. Nobody waits for it, so that nobody learns from the time it takes whether there was one. */
export interface SendMail {
  (mail: Mail): void
  /** False: it goes to the log of the service, where its operator finds the link. */
  readonly isSent: boolean
}

/**
 * [N15] E-mail by SMTP. Without it, outside production, the link is a line of the log; `null`: links cannot be sent, and
 * a log that others may read is no place for them.
 */
export function openMail(
  { mail, production }: { mail: MailConfig | null; production: boolean },
  log: Log,
): SendMail | null {
  if (mail === null) {
    return production
      ? null
      : Object.assign(
          ({ to, subject, link }: Mail) =>
            log.info({ to, link }, `SMTP_URL is not set, so this e-mail is not sent: ${subject}`),
          { isSent: false },
        )
  }
  const { url, from } = mail
  // The library is loaded with the first e-mail.
  const transport = once(async () => {
    const { createTransport } = await import('nodemailer')
    const timeouts = { connectionTimeout: SMTP_MS_MAX, greetingTimeout: SMTP_MS_MAX, socketTimeout: SMTP_MS_MAX }
    return createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true }, { from })
  })
  const send = ({ to, subject, text, link }: Mail) => {
    transport()
      .then((ready) => ready.sendMail({ to, subject, text: link === '' ? `${text}\n` : `${text}\n\n${link}\n` }))
      .then(
        () => log.info({ subject }, 'An e-mail was sent'),
        (err) => log.error({ reason: reasonOf(err), subject }, 'An e-mail could not be sent'),
      )
  }
  return Object.assign(send, { isSent: true })
}

/** What the mail server answered may name the reader: the log has the code. */
const reasonOf = (error: unknown): string => {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  return [code, responseCode].filter((part) => part !== undefined).join(' ') || 'unknown'
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}
