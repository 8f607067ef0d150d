import { isIP } from 'node:net'
import type { AddressGuard } from '../net/address-guard.ts'
import { hostAndPort } from './own-service.ts'

export const PRIVATE_REFUSED =
  'This browser opens no addresses of its own machine or of a private network. Do not try another way to reach them.'

/**
 * [Z15] Why a task may not open an address, where the address itself says so; `null` when it may, or when only what its name
 * resolves to can tell: the proxy refuses that.
 */
export function privateRefusal(address: string, addresses: AddressGuard | null): string | null {
  const host = addresses && hostAndPort(address)?.host
  if (!host) return null
  const literal = host === 'localhost' ? '127.0.0.1' : host.replace(/^\[|\]$/g, '')
  return isIP(literal) !== 0 && !addresses(literal) ? PRIVATE_REFUSED : null
}
