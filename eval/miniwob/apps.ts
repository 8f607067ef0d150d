import { type Hands, linesOf, refIn } from '../harness/hands.ts'
import { Unsolved } from '../harness/task.ts'
import { around, escaped, named, nth, ordinal, type Solver, said, submit, until, wordsOf } from './helpers.ts'

const icon = (name: string) => new RegExp(`(image|img|clickable|button|generic)[^\\n]*${name}[^\\n]*\\[`, 'i')

async function openMail(s: Hands, tree: string, sender: string): Promise<string> {
  const list = tree.slice(tree.indexOf('Primary'))
  await s.click(await around(s, `\n\n${list}`, sender))
  return until(s, /"?(Reply|Forward)/)
}

async function reply(s: Hands, mail: string, text: string): Promise<unknown> {
  await s.click(await s.ref(/"Reply"/, mail))
  const open = await until(s, /textbox/)
  await s.fill(nth(open, /textbox/, -1), text)
  return s.click(/send[^\n]*\[/i)
}

async function forward(s: Hands, mail: string, to: string): Promise<unknown> {
  await s.click(await s.ref(/"Forward"/, mail))
  const open = await until(s, /textbox/)
  await s.fill(nth(open, /textbox/, 1), to)
  return s.click(/send[^\n]*\[/i)
}

const inbox: Solver = async (s, { tree, words }) => {
  const mail = await openMail(s, tree, said(words, /email by (\w+)/))
  const text = /with the text "\s*(.+?)\s*"/.exec(words)?.[1]
  if (text !== undefined) return reply(s, mail, text)
  const to = /forward that email to (\w+)/.exec(words)?.[1]
  if (to !== undefined) return forward(s, mail, to)
  if (/trash/.test(words.slice(0, words.indexOf('Primary')))) return s.click(await s.ref(icon('(trash|delete)'), mail))
  return s.click(await s.ref(icon('star'), mail))
}

const forwardInWords: Solver = async (s, { tree, words }) => {
  const task = words.slice(0, words.indexOf('Primary'))
  const names = [...new Set(task.match(/\b[A-Z][a-z]+\b/g))].filter((name) => new RegExp(`\\b${name}\\b`).test(task))
  const patterns: readonly (readonly [RegExp, boolean])[] = [
    [/(?:forward|send) (\w+)'s .*? to (\w+)/i, true],
    [/Send (\w+) the information (\w+)/i, false],
    [/from (\w+) .*?to (\w+)/i, true],
    [/to (\w+) .*?(?:from|by) (\w+)/i, false],
    [/(?:by|of) (\w+) .*?to (\w+)/i, true],
    [/(?:Give|Send|Forward) (\w+) .*?(?:from|by) (\w+)/i, false],
  ]
  for (const [pattern, senderFirst] of patterns) {
    const found = pattern.exec(task)
    const [a, b] = [found?.[1] ?? '', found?.[2] ?? '']
    if (!names.includes(a) || !names.includes(b)) continue
    return forward(s, await openMail(s, tree, senderFirst ? a : b), senderFirst ? b : a)
  }
  throw new Unsolved(`the task is not understood: ${task}`)
}

const search: Solver = async (s, { tree, words }) => {
  await s.fill(nth(tree, /textbox/, 1), said(words, /enter "\s*(.+?)\s*"/))
  await s.click(named('Search', 'button'))
  const wanted = ordinal(said(words, /click the (\d+)\w\w search/))
  let page = await until(s, /link/)
  for (let next = 2; next <= Math.ceil(wanted / 3); next += 1) {
    await s.click(await s.ref(named(String(next), 'link'), page))
    page = await until(s, /link/)
  }
  const results = linesOf(page, /(link|clickable) "/).filter(({ line, ref }) => ref !== null && !/"[\d<>]+"/.test(line))
  const ref = results[(wanted - 1) % 3]?.ref
  if (!ref) throw new Unsolved(`no result ${wanted}: ${page}`)
  return s.click(ref)
}

const phoneBook: Solver = async (s, { tree, words }) => {
  const [, name = '', what = ''] = /Find (\w+) in the contact book and click on their (\w+)/.exec(words) ?? []
  let page = tree
  for (let turn = 0; turn < 12; turn += 1) {
    if (new RegExp(`heading "${name}"`).test(page)) {
      const rest = page.slice(page.search(new RegExp(`"?${what}:`, 'i')))
      return s.click(nth(rest, /(link|clickable) "/, 1))
    }
    await s.click(await s.ref(named('>'), page))
    page = await s.look()
  }
  throw new Unsolved(`${name} was not found`)
}

/** The controls of each post follow its words: reply, retweet, like, more. */
const CONTROLS: Readonly<Record<string, number>> = { Reply: 0, Retweet: 1, Like: 2 }

function controlsOf(tree: string): { user: string; refs: string[] }[] {
  const posts: { user: string; refs: string[] }[] = []
  for (const line of tree.split('\n').slice(1)) {
    const user = /@[\w-]+/.exec(line.replace(/^.*(?:by|user) @\S+.*?(button\.|Submit\.)/, ''))?.[0]
    if (user !== undefined) posts.push({ user, refs: [] })
    const ref = refIn(line, /image|img|clickable|generic/)
    if (ref !== null) posts.at(-1)?.refs.push(ref)
  }
  return posts.filter(({ refs }) => refs.length >= 3)
}

const social: Solver = async (s, { tree, words }) => {
  const [, user = '', action = ''] = /For the user (@[\w-]+), click on the "\s*(.+?)\s*" button/.exec(words) ?? []
  const post = controlsOf(tree).find((each) => each.user === user)
  const refs = post?.refs.slice(-4)
  const control = CONTROLS[action]
  if (!refs) throw new Unsolved(`no controls of ${user}: ${tree}`)
  if (control !== undefined) return s.click(refs[control] ?? '')
  await s.click(refs[3] ?? '')
  await s.wait(0.4)
  return s.click(await around(s, await s.look(), action))
}

const socialMany: Solver = async (s, { tree, words }) => {
  const [, action = '', , count, user = ''] =
    /Click the "\s*(.+?)\s*" button on (all|(\d+)) posts? by (@[\w-]+)/.exec(words) ?? []
  const posts = controlsOf(tree).filter((each) => each.user === user)
  for (const { refs } of posts.slice(0, count === undefined ? posts.length : Number(count))) {
    await s.click(refs.slice(-4)[CONTROLS[action] ?? 3] ?? '')
    if (CONTROLS[action] !== undefined) continue
    await s.wait(0.4)
    await s.click(await around(s, await s.look(), action))
  }
  return submit(s, 'Submit', tree)
}

const food: Solver = async (s, { tree, words }) => {
  const plus = async (from: string) => s.click(nth(from, /"\+"/, 1))
  const names = /Order one of each item: (.+?) Appetizers/.exec(words)?.[1]
  if (names !== undefined) {
    for (const name of names.split(', ')) await plus(tree.slice(tree.indexOf(`"${name}`, tree.indexOf('Appetizers'))))
  } else {
    const [, count = '0', kind = ''] = /Order (\d+) items that are ([\w -]+?)\s+Appetizers/.exec(words) ?? []
    const menu = tree.slice(tree.indexOf('Appetizers'))
    const items = menu.split(/(?=text "(?!Last)|clickable "(?![-+]))/)
    const fitting = items.filter((item) => new RegExp(`image "${escaped(kind)}"|alt.*${escaped(kind)}`, 'i').test(item))
    for (const item of fitting.slice(0, Number(count))) await plus(item)
  }
  return s.click(named('Order!', 'button'))
}

const terminal: Solver = async (s, { tree, words }) => {
  await s.type('ls', nth(tree, /textbox/, 1))
  await s.press('Enter')
  const listed = said(wordsOf(await s.look()), /ls (.+?) user\$/)
  const ending = /extension (\.\S+)/.exec(words)?.[1]
  const file = listed.split(' ').find((name) => (ending === undefined ? !name.includes('.') : name.endsWith(ending)))
  if (file === undefined) throw new Unsolved(`no such file: ${listed}`)
  await s.type(`rm ${file}`)
  return s.press('Enter')
}

const stock: Solver = async (s, { words }) => {
  const limit = Number(said(words, /less than \$([\d.]+?)\.? /))
  const buy = await s.ref(named('Buy', 'button'))
  for (let look = 0; look < 150; look += 1) {
    const price = /Stock price:\W*\$([\d.]+)/.exec(wordsOf(await s.look()))?.[1]
    if (price !== undefined && Number(price) < limit - 0.5) return s.click(buy)
  }
  throw new Unsolved('the price was never low enough')
}

const sign: Solver = async (s, { tree, words }) => {
  if (/Click the cancel/.test(words)) return s.click(named('Cancel', 'button'))
  const ref = nth(tree, /textbox/, 1)
  for (let turn = 0; turn < 8 && /textbox "name"[^\n]*disabled/i.test(await s.look()); turn += 1) {
    await s.call('computer', { action: 'scroll', ref, scroll_direction: 'down', scroll_amount: 50 })
    await s.wait(0.3)
  }
  await s.fill(/textbox "name"/i, said(words, /name "\s*(.+?)\s*"/))
  return s.click(named(said(words, /then press "(\w+)"/), 'button'))
}

export const APPS: Readonly<Record<string, Solver>> = {
  ...Object.fromEntries(
    ['', '-delete', '-forward', '-important', '-noscroll', '-reply', '-star-reply'].map((kind) => [
      `email-inbox${kind}`,
      inbox,
    ]),
  ),
  'email-inbox-forward-nl': forwardInWords,
  'search-engine': search,
  'phone-book': phoneBook,
  'social-media': social,
  'social-media-all': socialMany,
  'social-media-some': socialMany,
  'order-food': food,
  terminal,
  'stock-market': stock,
  'sign-agreement': sign,
}
