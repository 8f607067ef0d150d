/** A setting that does not parse. The message is one line that names it, its value (never a secret) and what is accepted. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
