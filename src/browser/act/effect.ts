import { CHANGES_CHARS_MAX, CHANGES_SHOWN_GONE_MAX, NEW_PAGE_CHARS_MAX } from '../limits.ts'
import { objectIn, refFor } from './element.ts'
import type { Done } from './execute.ts'
import type { Call, Note, Page, Shown } from './page.ts'
import { joinLines } from './result.ts'
import { screenshot } from './screenshot.ts'
import type { Look } from './tools.ts'
import { diffTrees, onlyFocusMoved } from './tree/diff.ts'
import { outlineOf } from './tree/outline.ts'
import { fingerprintOf, readTree, type Tree } from './tree/read.ts'
import { headOf, treeNotes, treeText } from './tree/text.ts'

/** What is known of an action when its effect is looked at. */
export interface Acted {
  /** It led to another page. */
  readonly isLed: boolean
  /** The field whose value the answer tells already. */
  readonly told: string | null
  /** When it began, by `performance.now()`. */
  readonly since: number
}

/**
 * After an action: what changed on the page since its model saw it last, or what another page shows, to which the
 * action led or an earlier one whose effect was not looked at. `none` only names its state.
 */
export async function observe(call: Call, look: Look, { isLed, told, since }: Acted): Promise<Done> {
  const { page } = call
  const file = await fileAsked(call)
  if (look === 'none') return { said: file.said, content: '', fingerprint: await fingerprintOf(call) }
  const before = page.shown
  const { loaderId } = page.loading
  const tree = await readTree(call)
  const changes =
    before === null || before.loaderId !== loaderId ? whole(tree, before, isLed) : difference(before, tree, told)
  page.shown = { tree, untold: changes.untold, loaderId, at: performance.now() }
  const gone = before === null ? [] : page.activity.takeGone(before.at).filter((text) => !shows(tree, text))
  const still = stillLoading(page, since)
  const shot = look === 'screenshot' ? { screenshot: (await screenshot(call)).data } : {}
  const content = joinLines(
    changes.content,
    ...gone.slice(0, CHANGES_SHOWN_GONE_MAX).map((text) => `Briefly visible: ${JSON.stringify(text)}`),
  )
  const isSame = before && (before.tree.fingerprint === tree.fingerprint || onlyFocusMoved(before.tree, tree))
  const unchanged = content === '' && isSame
  return {
    said: joinLines(file.said, changes.said, unchanged && 'Nothing on the page changed.', still),
    content,
    fingerprint: tree.fingerprint,
    ...shot,
  }
}

function stillLoading(page: Page, since: number): string {
  if (page.loading.stage === 'loaded') return ''
  return page.lacksOnlyPictures(since) ? 'Pictures of it are still loading.' : 'The page is still loading.'
}

const NONE: ReadonlySet<string> = new Set()

/** What a tool showed of the page counts as seen. */
export function sawTree({ page }: Call, tree: Tree): void {
  page.shown = { tree, untold: NONE, loaderId: page.loading.loaderId, at: performance.now() }
}

/** Of another page: all of it, or of a long one what it says first and what is new on it. */
function whole(tree: Tree, before: Shown | null, isLed: boolean): Note & Pick<Shown, 'untold'> {
  const other = before !== null && (isLed ? 'This is another page now.' : 'You have not seen this page yet.')
  const text = treeText(tree)
  const isLong = text.length > NEW_PAGE_CHARS_MAX
  if (!isLong && before === null) return { said: joinLines(other, ...treeNotes(tree)), content: text, untold: NONE }
  const { lines, untold } = outlineOf(before, tree, NEW_PAGE_CHARS_MAX)
  const cut = isLong && 'It is long: this is what is new on it and its main part. read_page shows all.'
  return {
    said: joinLines(other, cut, ...(isLong ? tree.notes : treeNotes(tree))),
    content: joinLines(headOf(tree), ...(lines.length > 0 ? lines : ['(the page is empty)'])),
    untold,
  }
}

function difference({ tree: before, untold }: Shown, after: Tree, told: string | null): Note & Pick<Shown, 'untold'> {
  const moved = before.url !== after.url || before.title !== after.title
  const lines = diffTrees(before, after, CHANGES_CHARS_MAX, told)
  const changed = onlyFocusMoved(before, after)
    ? 'Nothing on the page changed but the focus:'
    : 'Changes (+ added, ~ changed, - removed):'
  return {
    said: lines === '' ? '' : changed,
    content: joinLines(moved && headOf(after), lines),
    untold,
  }
}

const shows = (tree: Tree, text: string): boolean => tree.lines.some((line) => line.text.includes(text))

/** No file window opens: which field it was for. */
async function fileAsked(call: Call): Promise<Note> {
  const { chooser, frames } = call.page
  call.page.chooser = null
  if (chooser?.backendNodeId === undefined) return { said: '' }
  const frame = frames.withId(chooser.frameId) ?? (await frames.main(call))
  const field = await objectIn(call, frame, chooser.backendNodeId).catch(() => null)
  const ref = field && (await refFor(call, field, 'file field'))
  return { said: `The page asks for a file. Give it one with files upload${ref ? ` and the ref ${ref}` : ''}.` }
}
