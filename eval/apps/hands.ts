import { refIn } from '../harness/hands.ts'
import type { Stage } from '../harness/stage.ts'
import type { Tools } from '../harness/tools.ts'
import type { App } from './app.ts'
import { DJANGO, signedIn } from './django.ts'
import { FLASK_ADMIN } from './flask-admin.ts'
import { MAILDEV } from './maildev.ts'
import { NODE_RED } from './node-red.ts'
import { SQLITE_WEB } from './sqlite-web.ts'
import { TIDDLYWIKI } from './tiddlywiki.ts'
import { TRAC } from './trac.ts'

const ROUNDS = 5

/** A page of an application, what is clicked on it and what is written into: neither changes the application's data. */
interface Place {
  readonly name: string
  readonly app: App
  readonly path: string
  readonly click: RegExp
  readonly field: RegExp
}

const PLACES: readonly Place[] = [
  {
    name: 'Django: list of 100 customers',
    app: DJANGO,
    path: 'shop/customer/',
    click: /checkbox "Select this object/,
    field: /textbox "Search/,
  },
  {
    name: 'Django: form of an order',
    app: DJANGO,
    path: 'shop/order/add/',
    click: /"Today"/,
    field: /textbox.*Ordered/,
  },
  {
    name: 'Flask-Admin: list of books',
    app: FLASK_ADMIN,
    path: 'book/',
    click: /checkbox "Select record"/,
    field: /textbox "title"/,
  },
  { name: 'Trac: new ticket', app: TRAC, path: 'newticket', click: /radio.*assign/, field: /textbox "Summary/ },
  { name: 'Trac: query', app: TRAC, path: 'query', click: /checkbox "(accepted|new)/, field: /textbox "Search:/ },
  { name: 'TiddlyWiki', app: TIDDLYWIKI, path: '', click: /(tab|button) "Recent"/, field: /(searchbox|textbox)/ },
  { name: 'MailDev: 24 mails', app: MAILDEV, path: '', click: /".*Note 3\b/, field: /textbox "Search emails/ },
  {
    name: 'Node-RED',
    app: NODE_RED,
    path: '',
    click: /(button|link|tab) "(info|Info|Information|debug)/,
    field: /textbox/,
  },
  { name: 'sqlite-web: 180 rows', app: SQLITE_WEB, path: 'tea/content/', click: /link "name/, field: /textbox/ },
]

export type Act = 'look' | 'click' | 'type' | 'navigate'
export type Measured = (place: string, version: string, times: Readonly<Record<Act, number[]>>) => void

/**
 * Measures each page in all versions, page by page. The first version does not show effects in its answers: what is
 * measured is how long a call takes.
 */
export async function handsOnApps(stages: readonly (readonly [string, Stage])[], measured: Measured): Promise<void> {
  for (const app of new Set(PLACES.map((place) => place.app))) {
    const running = await app.start()
    try {
      for (const place of PLACES.filter((each) => each.app === app)) {
        for (const [version, stage] of stages) {
          const times: Record<Act, number[]> = { look: [], click: [], type: [], navigate: [] }
          const solve = (s: Tools) => actOn(s, place, running.url, times)
          const { why } = await stage.run({ name: place.name, about: 'hands', solve: (s) => solve(s as Tools) })
          if (why !== '') console.error(`${place.name}, ${version}: ${why.slice(0, 300)}`)
          measured(place.name, version, times)
        }
      }
    } finally {
      await running.close()
    }
  }
}

async function actOn(s: Tools, { app, path, click, field }: Place, url: string, times: Record<Act, number[]>) {
  if (app === DJANGO) await signedIn(s, url)
  const timed = async (act: Act, tool: string, input: object): Promise<string> => {
    const { text, ms, failed } = await s.attempt(tool, input)
    if (failed) throw new Error(`${act}: ${text}`)
    times[act].push(ms)
    return text
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    await timed('navigate', 'navigate', { url: url + path })
    const page = await timed('look', 'read_page', {})
    const target = refIn(page, click)
    if (target !== null) await timed('click', 'computer', { action: 'left_click', ref: target })
    const into = refIn(await s.look(), field)
    if (into !== null) await timed('type', 'computer', { action: 'type', ref: into, text: 'green tea' })
  }
}
