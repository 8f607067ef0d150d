import * as v from 'valibot'
import { type Held, type HeldField, RELEASE } from '../../../machines/held.ts'
import type { FrameSecret } from '../../../machines/secrets.ts'
import { ReleaseInput } from '../../wire/held.ts'
import { HELD_SHAPE_CHARS_MAX } from '../../wire/limits.ts'
import { ToolError } from '../act/cdp.ts'
import { type Done, executeTool } from '../act/execute.ts'
import { type Call, location } from '../act/page.ts'
import { type ExecutableTool, TOOLS } from '../act/tools.ts'
import { readTree } from '../act/tree/read.ts'
import { unlessAborted } from '../act/waiting.ts'
import type { Workplace } from '../act/workplace.ts'
import { fieldsOf, shownFields } from './fields.ts'
import type { HeldAct, HeldRequest, Hold, Holds } from './holds.ts'
import { shapeOf } from './shape.ts'
import { type ActTarget, targetsOf } from './target.ts'
import { numbersIn, shownNumbers, termsOf } from './terms.ts'

/** A page that is busy does not say what is on it: then it is what the model saw last. */
const READ_MS_MAX = 1_500
const PAGE_CHARS_MAX = 400_000
/** These press nothing. */
const LOOKS = new Set(['wait', 'scroll', 'scroll_to', 'hover', 'mouse_move', 'list', 'read', 'screenshot', 'zoom'])

const NOT_SENT =
  'It was approved, but the page gave the request up meanwhile, or the browser could not keep it, so it was not sent. Do it again: exactly the same request is then sent without another question.'

type Secrets = readonly FrameSecret[]

/** [I5] Executes one call of a gated task: as `executeTool`, but what it would change is held, and told in the place of a result. */
export async function executeGated(
  holds: Holds,
  work: Workplace,
  name: string,
  input: Record<string, unknown>,
  signal: AbortSignal,
  secrets: Secrets,
): Promise<Done> {
  if (name === RELEASE) return release(holds, work, input, signal, secrets)
  const before = holds.untold()
  if (before)
    return told(
      holds,
      work,
      signal,
      before,
      'This was not done. Before it, the page tried to send something that has to be approved.',
    )
  const targets = await lookAt(work, name, input, signal, secrets)
  const act: HeldAct = { kind: 'act', tool: name, input }
  if (isAsked(holds, act)) {
    const held = await describeAct(holds, work, act, targets, signal)
    if (!holds.gate.allowedShapes.includes(held.shape)) {
      holds.holdAct(act).told = held
      if (name === 'dialog') work.current.page.dialogs.keepOpen()
      return heldAnswer(held)
    }
  }
  return perform(holds, work, act, targets, signal, secrets)
}

/** Whether it waits for its approval before anything is done. */
function isAsked({ gate }: Holds, { tool, input }: HeldAct): boolean {
  if (!TOOLS.get(tool)?.acts(input)) return false
  if (tool === 'javascript_tool' || gate.intent === 'irreversible') return true
  return tool === 'files' || (tool === 'dialog' && input.accept === true)
}

/** Does it, and tells what it has caused: an effect, or a request that is held now. */
async function perform(
  holds: Holds,
  work: Workplace,
  { tool, input }: HeldAct,
  targets: readonly ActTarget[],
  signal: AbortSignal,
  secrets: Secrets,
  executable?: ExecutableTool,
  approvedSite: string | null = null,
): Promise<Done> {
  const opens = tool === 'navigate' || tool === 'tabs'
  const presses = !LOOKS.has(String(input.action)) && TOOLS.get(tool)?.acts(input) === true
  const settles = tool === RELEASE || TOOLS.get(tool)?.acts(input) === true
  if (presses) holds.begin(work.current.page.cdp, targets, opens)
  // What a script sends is not what its user has read in it.
  if (approvedSite !== null && tool !== 'javascript_tool') holds.carry(approvedSite)
  try {
    const run = () => executeTool(work, tool, input, signal, secrets, executable)
    const done = await (settles ? holds.settling(run) : run())
    const hold = holds.untold()
    return hold ? { ...done, ...(await told(holds, work, signal, hold, done.said)), content: done.content } : done
  } catch (error) {
    const hold = holds.untold()
    if (signal.aborted || !hold) throw error
    // It failed since what it began is held.
    return told(holds, work, signal, hold, '')
  }
}

async function release(
  holds: Holds,
  work: Workplace,
  given: Record<string, unknown>,
  signal: AbortSignal,
  secrets: Secrets,
): Promise<Done> {
  const { held: id, action, terms } = v.parse(ReleaseInput, given)
  const hold = holds.find(id)
  if (!hold?.told) throw new ToolError('This is not held any more, so nothing was sent or done.')
  if (action === 'decline') return drop(holds, work, hold, signal)
  const { of } = hold
  return of.kind === 'request'
    ? letGo(holds, work, { of, told: hold.told }, hold, terms, signal)
    : letDo(holds, work, hold as Hold<HeldAct>, terms, signal, secrets)
}

async function drop(holds: Holds, work: Workplace, hold: Hold, signal: AbortSignal): Promise<Done> {
  holds.remove(hold)
  const { of } = hold
  if (of.kind === 'act') {
    if (of.tool === 'dialog') await work.current.page.dialogs.answer(false, undefined).catch(() => {})
    return { said: 'It was not approved, so it was not done.', content: '' }
  }
  await of.request.fail()
  return perform(holds, work, releasing, [], signal, [], settling('It was not approved, so the request was not sent.'))
}

async function letGo(
  holds: Holds,
  work: Workplace,
  { of, told: before }: { of: HeldRequest; told: Held },
  hold: Hold,
  terms: string,
  signal: AbortSignal,
): Promise<Done> {
  const now = await describeRequest(holds, work, of, signal, before.numbers)
  if (now.terms !== terms) return again(hold, now)
  holds.remove(hold)
  if (!(await holds.send(of.request))) throw new ToolError(NOT_SENT)
  holds.followUp(now.site)
  try {
    // The page has chosen the address.
    return await perform(holds, work, releasing, [], signal, [], settling('Approved, and sent.', requestText(now)))
  } finally {
    holds.ends()
  }
}

async function letDo(
  holds: Holds,
  work: Workplace,
  hold: Hold<HeldAct>,
  terms: string,
  signal: AbortSignal,
  secrets: Secrets,
): Promise<Done> {
  const act = hold.of
  const targets = await lookAt(work, act.tool, act.input, signal, secrets)
  const now = await describeAct(holds, work, act, targets, signal, hold.told?.numbers)
  if (now.terms !== terms) return again(hold, now)
  holds.remove(hold)
  try {
    return await perform(holds, work, act, targets, signal, secrets, undefined, now.site)
  } finally {
    holds.ends()
  }
}

/** The terms are others now: the same hold, under another id. */
function again(hold: Hold, now: Held): Done {
  hold.told = now
  return heldAnswer(now, 'What the page shows has changed since it was asked.')
}

const releasing: HeldAct = { kind: 'act', tool: RELEASE, input: {} }
/** Waits for what was let go, or has failed, as for an action. */
const settling = (said: string, content = ''): ExecutableTool => ({
  schema: v.object({}),
  run: async () => ({ said, content }),
  acts: () => true,
  look: () => 'changes',
  waitMs: () => 0,
})

async function lookAt(
  work: Workplace,
  tool: string,
  input: Record<string, unknown>,
  signal: AbortSignal,
  secrets: Secrets,
): Promise<ActTarget[]> {
  if (!TOOLS.get(tool)?.acts(input) || LOOKS.has(String(input.action)) || work.current.page.dialogs.open) return []
  return inTime(
    work,
    signal,
    (call) => targetsOf({ ...call, secrets }, tool, input),
    () => [],
  )
}

async function told(
  holds: Holds,
  work: Workplace,
  signal: AbortSignal,
  hold: Hold<HeldRequest>,
  said: string,
): Promise<Done> {
  hold.told = await describeRequest(holds, work, hold.of, signal)
  return heldAnswer(hold.told, said)
}

const requestText = ({ method, site, path }: Held): string => `${method} ${site}${path}`

const heldAnswer = (held: Held, said = ''): Done => ({
  said: [said, `Held until the user approves it: ${held.kind === 'request' ? requestText(held) : held.shape}.`]
    .filter(Boolean)
    .join(' '),
  content: '',
  held,
})

async function describeRequest(
  holds: Holds,
  work: Workplace,
  held: HeldRequest,
  signal: AbortSignal,
  before?: readonly string[],
): Promise<Held> {
  const { request, target } = held
  const { origin, pathname } = new URL(request.url)
  const fields = fieldsOf(request)
  const numbers = await numbersOn(holds, work, signal, held)
  return {
    id: crypto.randomUUID(),
    kind: 'request',
    method: request.method,
    site: origin,
    path: pathname,
    shape: shapeOf(request),
    target: shownTarget(target),
    fields: shownFields(fields),
    terms: await termsOf(holds.salt, request.method, request.url, fields, target, numbers),
    numbers: shownNumbers(numbers, before),
  }
}

async function describeAct(
  holds: Holds,
  work: Workplace,
  { tool, input }: HeldAct,
  targets: readonly ActTarget[],
  signal: AbortSignal,
  before?: readonly string[],
): Promise<Held> {
  const { page } = work.current
  const numbers = await numbersOn(holds, work, signal)
  const dialog = page.dialogs.open
  const url = dialog
    ? (page.shown?.tree.url ?? 'about:blank')
    : await inTime(
        work,
        signal,
        async (call) => (await location(call)).url,
        () => 'about:blank',
      )
  const { origin, pathname } = new URL(url)
  const [target = null] = targets
  const action = typeof input.action === 'string' && tool !== 'javascript_tool' ? ` ${input.action}` : ''
  return {
    id: crypto.randomUUID(),
    kind: 'act',
    method: '',
    site: origin,
    path: pathname,
    shape:
      `${tool === 'javascript_tool' ? 'script' : `${tool}${action}`} ${target ? `${JSON.stringify(target.name)} ` : ''}${origin}`.slice(
        0,
        HELD_SHAPE_CHARS_MAX,
      ),
    target: shownTarget(target),
    fields: shownFields([
      ...inputFields(input),
      ...(dialog ? [{ name: 'dialog', value: dialog.message }] : []),
      ...(target?.form?.fields ?? []),
    ]),
    terms: await termsOf(holds.salt, tool, input, targets, dialog?.message ?? null, origin, numbers),
    numbers: shownNumbers(numbers, before),
  }
}

const inputFields = (input: Record<string, unknown>): HeldField[] =>
  Object.entries(input)
    .filter(([name]) => !['look', 'intent', 'ref'].includes(name))
    .map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    }))

const shownTarget = (target: ActTarget | null): Held['target'] => target && { role: target.role, name: target.name }

/** Every number that the page shows, its frames and shadow trees included; as it tells them itself where it cannot be asked. */
async function numbersOn(holds: Holds, work: Workplace, signal: AbortSignal, tab?: HeldRequest): Promise<string[]> {
  const { page } = work.current
  const told = () => (tab ? tab.tab.shown.numbers : holds.shownIn(page.cdp))
  if (page.dialogs.open || tab?.request.type === 'Document') return told()
  return inTime(
    work,
    signal,
    async (call) => {
      const { lines } = await readTree(call, { maxChars: PAGE_CHARS_MAX, asIs: true })
      return numbersIn(lines.map(({ text }) => text.replaceAll(/\[(?:ref=)?(?:f\d+)?e\d+\]/g, '')).join('\n'))
    },
    told,
  )
}

/** What a page that does not answer in time cannot say is said by `otherwise`. */
async function inTime<T>(
  work: Workplace,
  outer: AbortSignal,
  ask: (call: Call) => Promise<T>,
  otherwise: () => T,
): Promise<T> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(READ_MS_MAX)])
  try {
    return await unlessAborted(ask(work.current.page.call(signal, work, READ_MS_MAX)), signal)
  } catch {
    if (outer.aborted) throw outer.reason
    return otherwise()
  }
}
