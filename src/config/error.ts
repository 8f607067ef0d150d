/** A setting that does not parse. The message is one line that names it, its value (never a secret) and what is accepted. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const SHOWN_CHARS_MAX = 80
/** A value is shown in an error unless its setting is one of these. */
const SECRET = /SECRET|API_KEY|TOKEN|MONGODB_URL|NATS_URL|SMTP_URL/

/** A value as an error shows it. */
export function shown(name: string, value: string): string {
  if (SECRET.test(name)) return '(value not shown)'
  const harmless = value.replace(/\/\/[^@/]*@/, '//***@')
  return JSON.stringify(harmless.length > SHOWN_CHARS_MAX ? `${harmless.slice(0, SHOWN_CHARS_MAX)}…` : harmless)
}
