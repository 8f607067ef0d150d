import { domainOf, hostsOf, isWithin } from '../../machines/domains.ts'
import type { TaskRecord, TaskRequest } from '../../machines/records.ts'
import { redactorOf, secretValues } from '../../machines/redaction.ts'
import type { SecretRecord } from '../../machines/secrets.ts'
import { EVERYBODYS, isEverybodys } from './domains.ts'
import type { Path } from './errors.ts'
import { EVERYWHERE } from './fields.ts'
import { DOMAINS_MAX } from './limits.ts'
import { placeOf } from './parse.ts'
import type { GivenSecret } from './secrets.ts'

/** What the secrets of a start mean for its request: where the task may go, and what is kept of what was written. */

/** Why a start is refused, and of which value of its body. */
export interface StartFault {
  readonly path: Path
  readonly message: string
}

const fault = (path: Path, why: string): StartFault => ({ path, message: `${placeOf(path)} ${why}` })

/**
 * [X6, X11, F1] The request as it is kept: without values of its secrets, and confined. `before`: the task that it
 * continues, whose domains hold for it, too.
 */
export function withSecrets(
  request: TaskRequest,
  secrets: readonly GivenSecret[],
  before: TaskRecord | null,
): TaskRequest | StartFault {
  const allowedDomains = domainsOf(request, secrets, before)
  const { url } = request
  if (request.allowedDomains?.some(isEverybodys)) return fault(['allowed_domains'], EVERYBODYS)
  if (allowedDomains && allowedDomains.length > DOMAINS_MAX)
    return fault(['allowed_domains'], `must be given: the secrets are for more than ${DOMAINS_MAX} domains`)
  if (url !== null && allowedDomains && !isWithin(allowedDomains, url))
    return fault(['url'], 'must be within allowed_domains')
  if (secrets.length === 0) return { ...request, allowedDomains }
  const unusable = secrets.findIndex(({ domains }) => !isUsable(domains, request))
  if (unusable >= 0) return fault(['secrets', unusable, 'domains'], unusableDomains(secrets[unusable]?.domains ?? []))
  const values = Object.fromEntries(secrets.map(({ name, value }) => [name, value]))
  const named = secretValues(secrets, values, allowedDomains)
  // The address has to stay as it is, and may well have a part of a value.
  const wholes = redactorOf(named.map((each) => ({ ...each, open: [...(each.open ?? []), url ?? ''] })))
  if (url !== null && wholes.text(url) !== url) return fault(['url'], 'must not have the value of a secret')
  const { task, context, metadata = null, inputs = null, template } = request
  const texts = { task, context, metadata, inputs, ...(template ? { template } : {}) }
  return { ...request, ...redactorOf(named).value(texts), allowedDomains }
}

function domainsOf(
  { allowedDomains, url }: TaskRequest,
  secrets: readonly SecretRecord[],
  before: TaskRecord | null,
): readonly string[] | null {
  if (allowedDomains) return allowedDomains[0] === EVERYWHERE ? null : allowedDomains
  const own = ownDomains(secrets, url)
  const earlier = before?.allowedDomains ?? null
  if (earlier === null) return secrets.length > 0 ? own : null
  return before && isOwn(before) ? [...new Set([...earlier, ...own])] : earlier
}

/** The domains of secrets, and the host of the task's address. */
function ownDomains(secrets: readonly SecretRecord[], url: string | null): string[] {
  const host = url === null ? null : domainOf(new URL(url).host)
  return [...new Set([...secrets.flatMap(({ domains }) => domains), ...(host === null ? [] : [host])])]
}

/** Whether the domains of a task are those of its secrets, because its start named none. */
const isOwn = ({ allowedDomains, secrets = [], url }: TaskRecord): boolean =>
  secrets.length > 0 && JSON.stringify(allowedDomains) === JSON.stringify(ownDomains(secrets, url))

/** [T58] What a rerun repeats: domains that followed from the secrets follow from those of the rerun. */
export const askedDomains = (earlier: TaskRecord): readonly string[] | null =>
  isOwn(earlier) ? null : (earlier.allowedDomains ?? null)

/** Whether a page that the task may open, or begins at, can have the secret. */
function isUsable(domains: readonly string[], { allowedDomains, url }: TaskRequest): boolean {
  const address = (domain: string) => `https://${domain.replace(/^\*\./, '')}`
  const overlaps = (one: readonly string[], other: readonly string[]) =>
    one.some((domain) => isWithin(other, address(domain)))
  if (allowedDomains && allowedDomains[0] !== EVERYWHERE)
    return overlaps(domains, allowedDomains) || overlaps(allowedDomains, domains)
  if (url === null || isWithin(domains, url)) return true
  // Of the same host, and of it alone: its port was forgotten.
  const host = hostsOf([domainOf(new URL(url).host) ?? ''])[0]
  return hostsOf(domains).some((each) => each !== host)
}

const unusableDomains = (domains: readonly string[]) =>
  `has no page that the task may open: ${domains.join(', ')}. A domain without a port is for the standard ports alone; name another one as in example.com:8443`
