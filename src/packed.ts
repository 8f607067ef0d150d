import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

const isCheckout = existsSync(new URL('cli.ts', import.meta.url))

/**
 * A file that was built when the package was packed (deploy/pack.ts). `null` in a checkout, which builds it from its
 * sources when it is first needed.
 */
export const packed = async (name: string): Promise<Uint8Array | null> =>
  isCheckout ? null : readFile(new URL(`../dist/service/${name}`, import.meta.url))
