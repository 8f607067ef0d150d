import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { npmPackage } from '../harness/cache.ts'
import { freePort } from '../harness/ports.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, serve } from './app.ts'

/** A mailbox: a list of mails, their text in a frame, attachments. */
export const MAILDEV: App = {
  name: 'maildev',
  async start() {
    const program = join(await npmPackage('maildev', '3.0.0'), 'dist', 'bin', 'maildev.js')
    const smtp = await freePort()
    const { port, close } = await serve(
      (_, free) => ({
        file: 'node',
        args: [program, '--ip', '127.0.0.1', '--web-ip', '127.0.0.1', '-s', String(smtp), '-w', String(free)],
      }),
      (free) => `http://127.0.0.1:${free}/`,
    )
    const url = `http://127.0.0.1:${port}/`
    await sendMails(smtp)
    return { url, ask: (question) => counted(url, question), close }
  },
  get tasks() {
    return TASKS
  },
}

/** How many mails there are: all, those `unread`, or those of a subject. */
async function counted(url: string, which: string): Promise<number> {
  const answer = (await (await fetch(`${url}api/email`)).json()) as { subject: string; read: boolean }[]
  return answer.filter(({ subject, read }) => which === 'all' || (which === 'unread' ? !read : subject === which))
    .length
}

async function sendMails(port: number): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true })
  for (let n = 1; n <= 24; n += 1)
    await transport.sendMail({
      from: `Sender ${n} <s${n}@example.com>`,
      to: 'ada@example.com',
      subject: n === 7 ? 'Your kettle was sent' : `Note ${n}`,
      html:
        n === 7
          ? '<h1>On its way</h1><p>The parcel KL-4711 comes on <b>Tuesday</b>.</p><a href="https://example.com/track">Track it</a>'
          : `<p>Text of note ${n}.</p>`,
      ...(n % 5 === 0 && { attachments: [{ filename: `list-${n}.csv`, content: `name,grams\nSencha,${n}` }] }),
    })
  transport.close()
}

const TASKS: readonly AppTask[] = [
  {
    name: 'mail-read',
    about: 'a mail whose text is in a frame',
    async solve(s, url) {
      const mail = await press(s, /button ".*Your kettle was sent/, await s.open(url))
      must(/KL-4711/.test(mail) ? mail : await s.look(), /KL-4711/)
    },
  },
  {
    name: 'mail-search',
    about: 'a list that gets shorter while one types',
    async solve(s, url) {
      const found = await s.type('kettle', await s.ref(/textbox "Search emails/, await s.open(url)))
      must(/1 (of 24 )?emails?/.test(found) ? found : await s.look(), /\b1 (of 24 )?emails?|1 result/)
    },
  },
  {
    name: 'mail-attachment',
    about: 'what is attached to a mail is downloaded',
    async solve(s, url) {
      const mail = await press(s, /button ".*Note 15/, await s.open(url))
      const files = /list-15\.csv/.test(mail) ? mail : await s.look()
      must(await press(s, /(link|button).*list-15\.csv/, files), /[Dd]ownload/)
    },
  },
  {
    name: 'mail-delete',
    about: 'one mail is deleted',
    async solve(s, url) {
      const mail = await press(s, /button ".*Note 4 /, await s.open(url))
      await press(s, /button "Delete email"/, mail)
    },
    done: ['Note 4', 0],
  },
  {
    name: 'mail-all-read',
    about: 'a button with a picture alone, and a notice',
    async solve(s, url) {
      must(await press(s, /button "Mark all as read"/, await s.open(url)), /0 unread|- .*unread/)
    },
    done: ['unread', 0],
  },
  {
    name: 'mail-delete-all',
    about: 'all mails are deleted after a question',
    async solve(s, url, hears) {
      const asked = await press(s, /button "Delete all emails"/, await s.open(url))
      hears('alert', asked, /Click again to delete all emails/)
      await press(s, /button "(Confirm delete|Delete all|Delete|Confirm|Yes|OK)/, asked)
    },
    done: ['all', 0],
  },
]
