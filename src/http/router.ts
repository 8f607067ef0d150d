import type { Method, Route } from './route.ts'

interface Node {
  readonly children: Map<string, Node>
  any: Node | null
  readonly routes: Map<string, Route>
}
const node = (): Node => ({ children: new Map(), any: null, routes: new Map() })

export interface Found {
  readonly route: Route
  readonly params: readonly string[]
}

/** Finds the route of a method and a path: exact segments before `:name` ones, never an empty one. */
export interface Router {
  readonly routes: readonly Route[]
  find(method: string, path: string): Found | null
}

/** @throws for two routes with the same method and path. */
export function routerOf(routes: readonly Route[]): Router {
  const root = node()
  for (const route of routes) {
    let at = root
    for (const segment of segments(route.path)) at = segment.startsWith(':') ? anyOf(at) : childOf(at, segment)
    if (at.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`)
    at.routes.set(route.method, route)
  }
  return {
    routes,
    find(method, path) {
      const params: string[] = []
      let at: Node | null = root
      for (const segment of segments(path)) {
        const child: Node | undefined = at.children.get(segment)
        if (child === undefined && segment !== '') params.push(segment)
        at = child ?? (segment === '' ? null : at.any)
        if (at === null) return null
      }
      const route = at.routes.get(method as Method)
      return route === undefined ? null : { route, params }
    },
  }
}

const segments = (path: string): string[] => path.slice(1).split('/')

function childOf(at: Node, segment: string): Node {
  const child = at.children.get(segment) ?? node()
  at.children.set(segment, child)
  return child
}

function anyOf(at: Node): Node {
  at.any ??= node()
  return at.any
}
