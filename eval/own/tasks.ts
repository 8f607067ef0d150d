import type { EvalTask } from '../harness/task.ts'
import { EFFECTS } from './effects.ts'
import { FORMS } from './forms.ts'
import { FRAMES } from './frames.ts'
import { MOVING } from './moving.ts'
import { POINTING } from './pointing.ts'
import { READING } from './reading.ts'
import { TEXT } from './text.ts'
import { TYPING } from './typing.ts'
import { BUILT } from './widgets.ts'
import { WINDOWS } from './windows.ts'

/** One page for every ability of the browser tools, and for every fault that was found in them. */
export const OWN: readonly EvalTask[] = [
  ...EFFECTS,
  ...READING,
  ...TEXT,
  ...FRAMES,
  ...POINTING,
  ...MOVING,
  ...FORMS,
  ...TYPING,
  ...WINDOWS,
  ...BUILT,
]
