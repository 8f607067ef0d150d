import type { Log } from '../../../actors/runtime/ports.ts'

/** A log that only remembers. */
export const quietLog = () => {
  const lines: { level: string; fields: object; message: string }[] = []
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message })
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } satisfies Log }
}
