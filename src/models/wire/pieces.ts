/** A part of a request's body, serialised once: later requests repeat its bytes. */
export type Piece = Buffer

export const pieceOf = (text: string): Piece => Buffer.from(text)
export const jsonPiece = (value: unknown): Piece => Buffer.from(JSON.stringify(value))

const COMMA = pieceOf(',')

/** The pieces with commas between them. */
export function listed(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap((piece, at) => (at === 0 ? [piece] : [COMMA, piece]))
}

/** The function with its results kept by the identity of what they were made from, as long as that lives. */
export function remembered<From extends object, To>(make: (from: From) => To): (from: From) => To {
  const known = new WeakMap<From, { readonly made: To }>()
  return (from) => {
    const kept = known.get(from)
    if (kept) return kept.made
    const made = make(from)
    known.set(from, { made })
    return made
  }
}
