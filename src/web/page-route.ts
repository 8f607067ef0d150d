import type { Request, Response } from '../net/transport.ts'

/** `null`: there is no such page, and the request goes on to the API, which answers as for any unknown path. */
type Answer = Response | null | Promise<Response | null>

/** A page, or what a form on a page does. `run` is given the text of each `:name` of the path. */
export interface PageRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly run: (request: Request, ...params: string[]) => Answer
}

export const get = (path: string, run: PageRoute['run']): PageRoute => ({ method: 'GET', path, run })
export const post = (path: string, run: PageRoute['run']): PageRoute => ({ method: 'POST', path, run })
