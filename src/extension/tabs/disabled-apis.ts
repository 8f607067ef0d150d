/**
 * [F3] [F5] What the browser's rules do not see: the sockets of shared and service workers, the manifests of payment methods
 * and what identity providers are asked are of no tab to them, and WebRTC sends no request. Pages of a confined task have none of these. Before the first page, in every frame.
 */
export const NOTHING_UNSEEN = `{
  const refuse = () => { throw new DOMException('Not allowed in this task', 'SecurityError') }
  for (const name of ['SharedWorker', 'RTCPeerConnection', 'webkitRTCPeerConnection'])
    if (globalThis[name]) Object.defineProperty(globalThis, name, { value: refuse })
  if (globalThis.ServiceWorkerContainer)
    Object.defineProperty(ServiceWorkerContainer.prototype, 'register', { value: async () => refuse() })
  for (const name of ['PaymentRequest', 'IdentityCredential', 'IdentityProvider']) delete globalThis[name]
  if (globalThis.CredentialsContainer) {
    const { get } = CredentialsContainer.prototype
    const value = async function (options) { return options?.identity ? refuse() : get.call(this, options) }
    Object.defineProperty(CredentialsContainer.prototype, 'get', { value })
  }
}`
