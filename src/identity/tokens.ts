import { hash, randomBytes } from 'node:crypto'

/** What each secret of the service begins with, and how many random hex digits follow. */
const SHAPES = {
  secret: { prefix: 'svc_live_', hex: 48 },
  publishable: { prefix: 'svc_pub_', hex: 48 },
  pairing: { prefix: 'svc_pair_', hex: 64 },
  session: { prefix: 'svc_sess_', hex: 64 },
  invitation: { prefix: 'svc_inv_', hex: 64 },
  access: { prefix: 'svc_oauth_', hex: 64 },
  refresh: { prefix: 'svc_refresh_', hex: 64 },
  /** The first half names the task. */
  share: { prefix: 'svc_share_', hex: 64 },
} as const
export type TokenKind = keyof typeof SHAPES

/** The first characters of a key that may be shown again. */
const KEY_PREFIX_CHARS = 16

/** A new secret of this kind. It is shown once; only its hash is kept. */
export function newToken(kind: TokenKind): string {
  const { prefix, hex } = SHAPES[kind]
  return prefix + randomBytes(hex / 2).toString('hex')
}

/** SHA-256 in hex: all that a store keeps of a key or token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}

/** Whether this looks like a token of the kind at all: no store need be asked for one that does not. */
export function isToken(kind: TokenKind, text: string): boolean {
  const { prefix, hex } = SHAPES[kind]
  return text.length === prefix.length + hex && text.startsWith(prefix)
}

/** What lists show of a key. */
export const keyPrefixOf = (key: string): string => key.slice(0, KEY_PREFIX_CHARS)

/** A key is publishable when its type or its prefix says so. */
export const isPublishable = (key: { readonly type: string; readonly keyPrefix: string }): boolean =>
  key.type === 'publishable' || key.keyPrefix.startsWith(SHAPES.publishable.prefix)
