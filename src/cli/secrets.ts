import { readFileSync } from 'node:fs'
import type { Api } from '../client/index.ts'
import { usageError } from './exit-codes.ts'

export interface SecretOptions {
  /** `name=env:VARIABLE` or `name=file:path`. */
  readonly secret?: readonly string[]
  readonly totp?: readonly string[]
  readonly secretDomain?: readonly string[]
}

/** [X9] The secrets of a task as the command line names them: never with their values, which others could read there. */
export function secretsOf(
  { secret = [], totp = [], secretDomain = [] }: SecretOptions,
  url: string | null,
): Api.SecretBody[] {
  if (secret.length + totp.length === 0) return []
  const domains = secretDomain.length > 0 ? [...secretDomain] : hostOf(url)
  return [
    ...secret.map((given) => ({ ...sourced(given, '--secret'), domains })),
    ...totp.map((given) => {
      const { name, value } = sourced(given, '--totp')
      return { name, totp: value, domains }
    }),
  ]
}

function hostOf(url: string | null): string[] {
  if (url !== null && URL.canParse(url)) return [new URL(url).host]
  throw usageError('On which sites may the secrets be typed? Use --secret-domain, or --url.')
}

function sourced(given: string, option: string): { name: string; value: string } {
  const [, name = '', kind, source = ''] = /^([\w-]+)=(env|file):(.+)$/.exec(given) ?? []
  if (kind === undefined)
    throw usageError(
      `${option} takes name=env:VARIABLE or name=file:path: a value on the command line could be read by others.`,
    )
  return { name, value: kind === 'env' ? fromEnv(source) : fromFile(source) }
}

function fromEnv(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw usageError(`The environment variable ${name} is not set.`)
  return value
}

/** A line break at the end of a file is not meant. */
function fromFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch {
    throw usageError(`${path} cannot be read.`)
  }
}
