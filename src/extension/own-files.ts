import { ToolError } from '../browser/act/cdp.ts'
import { serviceFiles } from '../browser/service-files.ts'
import { readPairing } from './settings.ts'

/** [U4, U10] Files at the service that this browser is paired with. */
export const ownFiles = serviceFiles(async () => {
  const pairing = await readPairing()
  if (!pairing) throw new ToolError('This browser is not paired.')
  return { serviceUrl: pairing.origin, sessionToken: pairing.sessionToken }
})
