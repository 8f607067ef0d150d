import { ToolError } from '../cdp.ts'

/** A key as `Input.dispatchKeyEvent` wants it. */
export interface Key {
  readonly key: string
  readonly code: string
  readonly keyCode: number
  /** What it types without a shortcut modifier; empty when nothing. */
  readonly text: string
  readonly shift: boolean
}

const named = (key: string, keyCode: number, code = key, text = ''): Key => ({ key, code, keyCode, text, shift: false })

const NAMED: Readonly<Record<string, Key>> = {
  enter: named('Enter', 13, 'Enter', '\r'),
  tab: named('Tab', 9),
  escape: named('Escape', 27),
  backspace: named('Backspace', 8),
  delete: named('Delete', 46),
  space: named(' ', 32, 'Space', ' '),
  arrowup: named('ArrowUp', 38),
  arrowdown: named('ArrowDown', 40),
  arrowleft: named('ArrowLeft', 37),
  arrowright: named('ArrowRight', 39),
  home: named('Home', 36),
  end: named('End', 35),
  pageup: named('PageUp', 33),
  pagedown: named('PageDown', 34),
  insert: named('Insert', 45),
  contextmenu: named('ContextMenu', 93),
  ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`f${n + 1}`, named(`F${n + 1}`, 112 + n)])),
}
const ALIASES: Readonly<Record<string, string>> = {
  return: 'enter',
  esc: 'escape',
  del: 'delete',
  up: 'arrowup',
  down: 'arrowdown',
  left: 'arrowleft',
  right: 'arrowright',
  spacebar: 'space',
  page_up: 'pageup',
  page_down: 'pagedown',
  pgup: 'pageup',
  pgdn: 'pagedown',
}

/** Punctuation of the US layout: [without shift, with shift, code, key code]. */
const PUNCTUATION: readonly (readonly [string, string, string, number])[] = [
  ['`', '~', 'Backquote', 192],
  ['-', '_', 'Minus', 189],
  ['=', '+', 'Equal', 187],
  ['[', '{', 'BracketLeft', 219],
  [']', '}', 'BracketRight', 221],
  ['\\', '|', 'Backslash', 220],
  [';', ':', 'Semicolon', 186],
  ["'", '"', 'Quote', 222],
  [',', '<', 'Comma', 188],
  ['.', '>', 'Period', 190],
  ['/', '?', 'Slash', 191],
]
const SHIFTED_DIGITS = ')!@#$%^&*('

const CHARACTERS = new Map<string, Key>()
for (let n = 0; n < 26; n += 1) {
  const upper = String.fromCharCode(65 + n)
  const key = { code: `Key${upper}`, keyCode: 65 + n }
  CHARACTERS.set(upper.toLowerCase(), { ...key, key: upper.toLowerCase(), text: upper.toLowerCase(), shift: false })
  CHARACTERS.set(upper, { ...key, key: upper, text: upper, shift: true })
}
for (let n = 0; n < 10; n += 1) {
  const key = { code: `Digit${n}`, keyCode: 48 + n }
  CHARACTERS.set(String(n), { ...key, key: String(n), text: String(n), shift: false })
  const shifted = SHIFTED_DIGITS[n] ?? ''
  CHARACTERS.set(shifted, { ...key, key: shifted, text: shifted, shift: true })
}
for (const [plain, shifted, code, keyCode] of PUNCTUATION) {
  CHARACTERS.set(plain, { key: plain, code, keyCode, text: plain, shift: false })
  CHARACTERS.set(shifted, { key: shifted, code, keyCode, text: shifted, shift: true })
}
for (const [character, name] of [
  [' ', 'space'],
  ['\n', 'enter'],
  ['\t', 'tab'],
] as const) {
  const key = NAMED[name]
  if (key) CHARACTERS.set(character, key)
}

/** The key that types this character on a US keyboard, or `null`. */
export const keyOfCharacter = (character: string): Key | null => CHARACTERS.get(character) ?? null

/** Bits of CDP. */
export const MODIFIERS = { alt: 1, ctrl: 2, meta: 4, shift: 8 } as const
const MODIFIER_NAMES: Readonly<Record<string, keyof typeof MODIFIERS>> = {
  alt: 'alt',
  option: 'alt',
  ctrl: 'ctrl',
  control: 'ctrl',
  meta: 'meta',
  cmd: 'meta',
  command: 'meta',
  win: 'meta',
  windows: 'meta',
  super: 'meta',
  shift: 'shift',
}
export const MODIFIER_KEYS: Readonly<Record<keyof typeof MODIFIERS, Key>> = {
  alt: named('Alt', 18, 'AltLeft'),
  ctrl: named('Control', 17, 'ControlLeft'),
  meta: named('Meta', 91, 'MetaLeft'),
  shift: named('Shift', 16, 'ShiftLeft'),
}
export type Modifier = keyof typeof MODIFIERS

export interface Chord {
  readonly modifiers: readonly Modifier[]
  /** `null`: a modifier alone. */
  readonly key: Key | null
}

/** Reads `ctrl+shift+a`, `Enter`, `+`. Throws a ToolError that names an unknown key. */
export function parseChord(text: string): Chord {
  // A plus at the end is the key itself: `ctrl++`.
  const parts = text.length > 1 ? text.replace(/\+\+$/, '+plus').split('+') : [text]
  const last = parts.at(-1) ?? ''
  const held = parts.slice(0, -1).map(modifierOf)
  const alone = MODIFIER_NAMES[last.toLowerCase()]
  if (alone) return { modifiers: [...held, alone], key: null }
  const lower = last.toLowerCase()
  const key = last === 'plus' ? keyOfCharacter('+') : (keyOfCharacter(last) ?? NAMED[ALIASES[lower] ?? lower])
  if (!key) throw new ToolError(`Unknown key ${JSON.stringify(last.slice(0, 50))}.`)
  return { modifiers: held, key }
}

/** Parses modifiers such as `ctrl+shift`; an empty text has none. */
export const parseModifiers = (text: string): Modifier[] =>
  text.trim() === ''
    ? []
    : text
        .split(/[+,\s]+/)
        .filter((part) => part !== '')
        .map(modifierOf)

function modifierOf(name: string): Modifier {
  const modifier = MODIFIER_NAMES[name.trim().toLowerCase()]
  if (!modifier)
    throw new ToolError(`${JSON.stringify(name.slice(0, 50))} is not a modifier key: use ctrl, shift, alt or meta.`)
  return modifier
}

export const bitsOf = (modifiers: readonly Modifier[]): number =>
  modifiers.reduce((bits, modifier) => bits | MODIFIERS[modifier], 0)
