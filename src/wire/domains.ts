import { getPublicSuffix } from 'tldts'

/** [F1] Why a list of domains is refused that names everybody's. */
export const EVERYBODYS =
  'must not name all below a suffix under which anybody gets a domain, such as *.co.uk or *.github.io'

/**
 * Whether a domain is all below a public suffix (https://publicsuffix.org): the sites of people who know nothing of each
 * other. Not in the schemas of frames: the list of suffixes is larger than most of what the extension loads.
 */
export function isEverybodys(domain: string): boolean {
  const host = domain.startsWith('*.') ? domain.slice(2).replace(/:\d+$/, '') : null
  return host !== null && getPublicSuffix(host, { allowPrivateDomains: true }) === host
}
