import { subscribe } from 'node:diagnostics_channel'
import { type IncomingMessage, ServerResponse } from 'node:http'
import { type ResolveHook, register } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import { counts } from './counts.ts'

/*
 * Loaded before the service of a measure that counts: an import of a database driver resolves to the one in this folder,
 * which counts each call and passes it on, and the transport `node` tells when a task is asked for and when that is answered.
 */
const HERE = new URL('.', import.meta.url).href
const DRIVERS = ['lmdb', 'mongodb']

// Node loads this file a second time, on the thread where it runs the hook.
if (isMainThread) {
  register(import.meta.url)
  const isStart = ({ method, url }: IncomingMessage) => method === 'POST' && url === '/v1/tasks'
  subscribe('http.server.request.start', (message) => {
    if (isStart((message as { request: IncomingMessage }).request)) counts.moment('request')
  })
  const { end } = ServerResponse.prototype
  ServerResponse.prototype.end = function (this: ServerResponse, ...args: unknown[]) {
    if (isStart(this.req)) counts.moment('response')
    return Reflect.apply(end, this, args)
  } as typeof end
}

/** Node's hook: where a module is. */
export const resolve: ResolveHook = (specifier, context, next) =>
  DRIVERS.includes(specifier) && !context.parentURL?.startsWith(HERE)
    ? { url: `${HERE}${specifier}.ts`, shortCircuit: true }
    : next(specifier, context)
