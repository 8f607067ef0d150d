/** What the router knows of a route: a method, and a path with `:name` for a segment of any text. */
interface Routed {
  readonly method: string
  readonly path: string
}
interface Node<R> {
  readonly children: Map<string, Node<R>>
  any: Node<R> | null
  readonly routes: Map<string, R>
}
const node = <R>(): Node<R> => ({ children: new Map(), any: null, routes: new Map() })

export interface RouteMatch<R> {
  readonly route: R
  readonly params: readonly string[]
}

/** Finds the route of a method and a path: exact segments before `:name` ones, never an empty one. */
export interface Router<R> {
  readonly routes: readonly R[]
  find(method: string, path: string): RouteMatch<R> | null
}

/** @throws for two routes with the same method and path. */
export function routerOf<R extends Routed>(routes: readonly R[]): Router<R> {
  const root = node<R>()
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
      let at: Node<R> | null = root
      for (const segment of segments(path)) {
        // [E30] Fixed segments have dashes; those that had underscores are known by them, too.
        const child: Node<R> | undefined = at.children.get(segment) ?? at.children.get(segment.replaceAll('_', '-'))
        if (child === undefined && segment !== '') params.push(segment)
        at = child ?? (segment === '' ? null : at.any)
        if (at === null) return null
      }
      const route = at.routes.get(method)
      return route === undefined ? null : { route, params }
    },
  }
}

const segments = (path: string): string[] => path.slice(1).split('/')

function childOf<R>(at: Node<R>, segment: string): Node<R> {
  const child = at.children.get(segment) ?? node<R>()
  at.children.set(segment, child)
  return child
}

function anyOf<R>(at: Node<R>): Node<R> {
  at.any ??= node<R>()
  return at.any
}
