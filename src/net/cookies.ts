import { parse, serialize } from 'cookie'

/** The cookies of a request, by name, exactly as they were sent: signed values must not be decoded. */
export const cookiesOf = (header: string | undefined): Readonly<Record<string, string | undefined>> =>
  parse(header ?? '', { decode: (value) => value })

/**
 * The value of `Set-Cookie` for a cookie that no script can read. It lasts as long as the browser's session; an empty
 * value removes it.
 */
export const setCookie = (name: string, value: string, { secure }: { readonly secure: boolean }): string =>
  serialize(name, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    ...(value === '' ? { maxAge: 0 } : {}),
  })
