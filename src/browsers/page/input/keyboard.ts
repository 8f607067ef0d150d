import type { Call } from '../page.ts'
import { withFocus } from './focused.ts'
import { bitsOf, type Chord, type Key, keyOfCharacter, MODIFIER_KEYS, MODIFIERS, type Modifier } from './keys.ts'

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

/**
 * Types where the focus is: real key events for every character that a keyboard has, so that pages which listen for
 * keys see them; the rest, and long texts, are inserted.
 */
export async function typeText(outer: Call, text: string): Promise<void> {
  const call = await withFocus(outer)
  const normal = text.replace(/\r\n?/g, '\n')
  if (normal.length > TYPED_BY_KEY_CHARS_MAX) {
    await call.send('Input.insertText', { text: normal })
    return
  }
  // The browser keeps the order: nothing is gained by waiting for each.
  const sent: Promise<unknown>[] = []
  for (const character of normal) {
    const key = keyOfCharacter(character)
    if (key) sent.push(down(call, key, key.shift ? MODIFIERS.shift : 0), up(call, key, 0))
    else sent.push(call.send('Input.insertText', { text: character }))
  }
  await Promise.all(sent)
}

/** Presses one key with its modifiers held. */
export async function press(outer: Call, { modifiers, key }: Chord): Promise<void> {
  const call = await withFocus(outer)
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
  await Promise.all(sent)
}

const shiftedOf = (key: Key): Key => (/^[a-z]$/.test(key.key) ? (keyOfCharacter(key.key.toUpperCase()) ?? key) : key)

function down(call: Call, key: Key, modifiers: number, command?: string): Promise<unknown> {
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

const up = (call: Call, key: Key, modifiers: number): Promise<unknown> =>
  call.send('Input.dispatchKeyEvent', {
    type: 'keyUp',
    modifiers,
    key: key.key,
    code: key.code,
    windowsVirtualKeyCode: key.keyCode,
  })
