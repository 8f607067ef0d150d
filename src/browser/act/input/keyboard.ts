import { SECOND_MS } from '../../../../machines/limits.ts'
import type { CdpSession } from '../cdp.ts'
import type { Call } from '../page.ts'
import { pause } from '../waiting.ts'
import { withFocus } from './focused.ts'
import {
  bitsOf,
  type Chord,
  type Key,
  keyOfCharacter,
  MODIFIER_KEYS,
  MODIFIERS,
  type Modifier,
  parseChord,
} from './keys.ts'

/** A longer text is inserted at once instead of being typed key by key. */
const TYPED_BY_KEY_CHARS_MAX = 300

/** Editing commands that macOS keeps in its menus, where key events do not reach them. */
const COMMANDS: Readonly<Record<string, string>> = {
  'meta+a': 'selectAll',
  'meta+c': 'copy',
  'meta+x': 'cut',
  'meta+v': 'paste',
  'meta+z': 'undo',
  'ctrl+a': 'selectAll',
}

/** Where a text goes: a line break is made in another way in each. */
type FieldKind = 'line' | 'lines' | 'region' | 'other' | 'none'

/**
 * Types where the focus is: real key events for every character that a keyboard has, so that pages which listen for
 * keys see them; the rest, and long texts, are inserted. A line break is one, and never submits: it is inserted into a
 * field, and made with Shift in an editable region, where Enter alone may send what was written.
 */
export async function typeText(outer: Call, text: string, kind: FieldKind): Promise<void> {
  const call = await withFocus(outer)
  const byKey = text.length <= TYPED_BY_KEY_CHARS_MAX
  // The browser keeps the order: nothing is gained by waiting for each.
  const sent: Promise<unknown>[] = []
  const insert = (part: string) => sent.push(call.send('Input.insertText', { text: part }))
  for (const [at, line] of text.split('\n').entries()) {
    if (at > 0 && kind === 'lines') insert('\n')
    else if (at > 0) sent.push(...sendChord(call, SOFT_BREAK))
    if (!byKey) {
      if (line !== '') insert(line)
      continue
    }
    for (const character of line) {
      const key = character === '\t' ? null : keyOfCharacter(character)
      if (key) sent.push(down(call, key, key.shift ? MODIFIERS.shift : 0), up(call, key, 0))
      else insert(character)
    }
  }
  await Promise.all(sent)
}

/**
 * Inserts a text at once, between the key events of its last character: pages that filter, count or check on keys see
 * that there was one. The key itself types nothing.
 */
export async function insertText(call: Call, text: string): Promise<void> {
  const last = text.at(-1) ?? ''
  const typed = /\s/.test(last) ? null : keyOfCharacter(last)
  const key: Key = { ...(typed ?? UNIDENTIFIED), text: '' }
  const modifiers = key.shift ? MODIFIERS.shift : 0
  const sent = [down(call, key, modifiers), call.send('Input.insertText', { text }), up(call, key, modifiers)]
  await Promise.all(sent)
}

/** A character that no key has. */
const UNIDENTIFIED: Key = { key: 'Unidentified', code: '', keyCode: 229, text: '', shift: false }

const SOFT_BREAK: Chord = parseChord('shift+Enter')

/** Selects all that the focused field holds and deletes it, as a user would. */
export async function clearField(call: Call): Promise<void> {
  await press(call, parseChord('ctrl+a'))
  await press(call, parseChord('Backspace'))
}

/** Holds keys down for the given seconds; a character repeats, as on a keyboard. */
export async function holdChord(call: Call, { modifiers, key }: Chord, seconds: number): Promise<void> {
  const keys = [...modifiers.map((modifier) => MODIFIER_KEYS[modifier]), ...(key ? [key] : [])]
  const bits = bitsOf(modifiers)
  try {
    for (const each of keys) await down(call, each, bits)
    await pause(seconds * SECOND_MS, call.signal)
  } finally {
    // A key that stays down would spoil whatever comes after.
    for (const each of [...keys].reverse()) await release(call, each)
  }
}

const release = ({ page }: Call, key: Key): Promise<unknown> =>
  page.cdp
    .send('Input.dispatchKeyEvent', { type: 'keyUp', key: key.key, code: key.code, windowsVirtualKeyCode: key.keyCode })
    .catch(() => {})

/** Presses one key with its modifiers held: where the focus is. */
export async function press(call: Call, chord: Chord): Promise<void> {
  await pressIn(await withFocus(call), chord)
}

/** The same for a call that goes to a frame of its own already. */
export async function pressIn(call: Call, chord: Chord): Promise<void> {
  await Promise.all(sendChord(call, chord))
}

/** Types a text or presses a chord as a person does, where the focus is, without a task that waits for it. */
export async function typeKeys(cdp: CdpSession, given: string | Chord): Promise<void> {
  const call = { send: (method: string, params?: object) => cdp.send(method, params) } as Pick<Call, 'send'>
  if (typeof given !== 'string') await Promise.all(sendChord(call, given))
  else
    for (const character of given) {
      const key = keyOfCharacter(character)
      if (key) await Promise.all([down(call, key, key.shift ? MODIFIERS.shift : 0), up(call, key, 0)])
      else await cdp.send('Input.insertText', { text: character })
    }
}

/** Sends the events of a chord in their order, all at once. */
function sendChord(call: Pick<Call, 'send'>, { modifiers, key }: Chord): Promise<unknown>[] {
  const sent: Promise<unknown>[] = []
  const held: Modifier[] = []
  for (const modifier of modifiers) {
    held.push(modifier)
    sent.push(down(call, MODIFIER_KEYS[modifier], bitsOf(held)))
  }
  if (key) {
    const shifted = modifiers.includes('shift') ? shiftedOf(key) : key
    const bits = bitsOf(held) | (shifted.shift ? MODIFIERS.shift : 0)
    const command = COMMANDS[[...modifiers, key.key.toLowerCase()].join('+')]
    sent.push(down(call, shifted, bits, command), up(call, shifted, bits))
  }
  for (const modifier of [...modifiers].reverse()) {
    held.pop()
    sent.push(up(call, MODIFIER_KEYS[modifier], bitsOf(held)))
  }
  return sent
}

/** What a key types with shift, as on the keyboard whose keys are pressed. */
const SHIFTED: Readonly<Record<string, string>> = Object.fromEntries(
  [..."`1234567890-=[]\\;',./"].map((plain, at) => [plain, [...'~!@#$%^&*()_+{}|:"<>?'][at] ?? plain]),
)
const shiftedOf = (key: Key): Key =>
  key.key.length === 1 ? (keyOfCharacter(SHIFTED[key.key] ?? key.key.toUpperCase()) ?? key) : key

function down(call: Pick<Call, 'send'>, key: Key, modifiers: number, command?: string): Promise<unknown> {
  // With a shortcut modifier a key is a command, not a character.
  const text = modifiers & ~MODIFIERS.shift ? '' : key.text
  return call.send('Input.dispatchKeyEvent', {
    type: text ? 'keyDown' : 'rawKeyDown',
    modifiers,
    key: key.key,
    code: key.code,
    windowsVirtualKeyCode: key.keyCode,
    ...(text ? { text, unmodifiedText: text } : {}),
    ...(command ? { commands: [command] } : {}),
  })
}

const up = (call: Pick<Call, 'send'>, key: Key, modifiers: number): Promise<unknown> =>
  call.send('Input.dispatchKeyEvent', {
    type: 'keyUp',
    modifiers,
    key: key.key,
    code: key.code,
    windowsVirtualKeyCode: key.keyCode,
  })
