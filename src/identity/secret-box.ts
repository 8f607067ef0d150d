import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

/** Encrypts what the service has to know again: what is kept of it is of no use without the key. */
export interface SecretBox {
  /** AES-256-GCM under a nonce of its own. `owner` names whose secret it is: it opens for no other. */
  seal(text: string, owner: string): string
  /** @throws Error when it was sealed with another key or for another owner, or was changed */
  open(sealed: string, owner: string): string
  /** The same for the same text, and of no use without the key. */
  fingerprint(text: string): string
}

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1.'

/** A new key as `SECRETS_KEY` takes it. */
export const newSecretsKey = (): string => randomBytes(KEY_BYTES).toString('base64')

export function createSecretBox(key: Buffer): SecretBox {
  return {
    seal(text, owner) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
    },
    open(sealed, owner) {
      if (!sealed.startsWith(VERSION)) throw new Error('A secret was sealed by an unknown version')
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64')
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(tag)
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
      return text.toString('utf8')
    },
    fingerprint: (text) => createHmac('sha256', key).update(`fingerprint ${text}`).digest('hex'),
  }
}
