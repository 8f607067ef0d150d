import { ToolError } from '../cdp.ts'

/** The address as it is opened. Throws a ToolError when it is not a web address. */
export function addressOf(wanted: string): string {
  if (wanted === 'about:blank') return wanted
  // `localhost:3000` and `example.com:8080/x` have no scheme, though they look like it.
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d+(?:[/?#]|$))/i.exec(wanted)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') {
    throw new ToolError(`Addresses with ${scheme}: cannot be opened. Only http and https pages can.`)
  }
  const address = scheme === undefined ? `https://${wanted.replace(/^\/\//, '')}` : wanted
  if (!URL.canParse(address) || /\s/.test(new URL(address).hostname)) {
    throw new ToolError(`${JSON.stringify(wanted.slice(0, 200))} is not a valid address.`)
  }
  return address
}
