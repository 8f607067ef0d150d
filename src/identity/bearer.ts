const BEARER = /^bearer +(\S.*)$/i

/** The token of an `Authorization` header; `null` when it holds none. */
export const bearerOf = (authorization: string | undefined): string | null =>
  (authorization === undefined ? null : BEARER.exec(authorization))?.[1]?.trimEnd() ?? null
