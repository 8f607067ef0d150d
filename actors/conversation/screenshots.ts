import { TASK_SCREENSHOTS_BYTES_MAX } from '../limits.ts'

/** [T54] Whether a screenshot in base64 is within what those of a task may take, of which `chars` are taken. */
export const hasRoomForScreenshot = (chars: number, image: string): boolean =>
  ((chars + image.length) / 4) * 3 <= TASK_SCREENSHOTS_BYTES_MAX
