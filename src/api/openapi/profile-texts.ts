import { AT, TASK } from './example-values.ts'
import type { FieldTexts } from './field-texts.ts'

/** Fields of profiles, and of clicks and keys over the live view. */
export const PROFILE_TEXTS: FieldTexts = {
  'BrowserBody.profile': ['The profile that signs the task in to sites: its name or id. Needs a `pool`.', 'acme'],
  'BrowserBody.save': ['`false` leaves the profile as it was.', true],
  'TaskBrowser.profile': ['The id of the profile.', TASK],
  'TaskBrowser.save': ['Whether its end saves the profile.', true],
  'CreateProfileBody.name': ['Its name: a–z, 0–9, _ and -.', 'acme'],
  'Profile.name': ['Its name.', 'acme'],
  saved_at: ['When it was last saved, in ms since 1970; null: it is empty.', AT],
  profiles: ['The profiles.'],
  'SignInBody.url': ['The page on which a person signs in.', 'https://acme.example/login'],
  'SignInBody.pool': ['The pool that lends the browser.', 'default'],
  'TaskProfile.save': ['Whether it is to be saved at the end of the task.', true],
  values: ['Cookies and storage; null: nothing was saved yet.'],
  'ProfileValues.cookies': ['Cookies.', []],
  'ProfileValues.origins': ['Storage by origin.', []],
  'LiveInputBody.events': ['What the person does, in its order.', [{ type: 'key', key: 'Enter' }]],
  'MouseInput.action': ['What the button does; `move` moves the pointer.', 'down'],
  x: ['From the left: a part of the width, 0 to 1.', 0.5],
  y: ['From the top: a part of the height, 0 to 1.', 0.25],
  dx: ['Pixels to the right.', 0],
  dy: ['Pixels down.', 120],
  button: ['The button.', 'left'],
  clicks: ['2: the second of a double click.', 1],
  modifiers: ['Keys that are held.', ['shift']],
  'KeyInput.key': ['A key with its modifiers.', 'ctrl+a'],
  'TextInput.text': ['What is typed.', '123456'],
}
