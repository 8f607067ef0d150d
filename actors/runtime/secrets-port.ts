import type { Ms } from '../../machines/records.ts'

/** [X1] Values that come and are kept only encrypted, and one-time codes by RFC 6238. */
export interface Secrets {
  /**
   * `owner` names what the text belongs to: it opens for no other.
   * @throws Error when it was sealed with another key or for another owner, or was changed
   */
  open(sealed: string, owner: string): string
  /** The code of a moment, and when the next one takes its place. `totp` is base32 or an `otpauth://` address. */
  code(totp: string, at: Ms): { readonly code: string; readonly endsAt: Ms }
}
