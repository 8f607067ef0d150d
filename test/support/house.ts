import { dirname, join } from 'node:path/posix'

/** A tree of sources: path from the repository's root → text. */
export type Tree = ReadonlyMap<string, string>

/** Processes: each has its machine, its actor, its machine's test and its machine's drawing. */
export const PROCESSES = ['workspace', 'task', 'session', 'call', 'closing', 'delivery', 'shard', 'service'] as const

const FLOORS = ['machines', 'actors', 'src']

/** Vendor packages that any file may import, and those that have one importer in each room instead of one in all. */
const EVERYWHERE = ['xstate', 'valibot', 'lru-cache', '@valibot/to-json-schema']
const ONE_IN_EACH_ROOM = ['ws', 'p-queue', 'esbuild', 'fflate']
const VENDORS_OF_ACTORS = ['xstate', '@xstate/store', 'p-queue', 'lru-cache']

/** Files that see all rooms, and what all rooms may see. */
const SEES_ALL = ['main', 'browser-task', 'cli', 'demo']
const SEEN_BY_ALL =
  /^src\/((wire|net|config)\/.*|packed\.ts|script\/(thread|fair-queue)\.ts|observe\/log\.ts|identity\/(bearer|tokens|oauth|read-tokens|shares|pairings|keys|confirmation|operator-workspaces|mail|request-mails|members|ask-accounts|roles|key-sign-in|secret-box)\.ts|api\/(deps|path-match)\.ts|client\/index\.ts|stores\/auth-tables\.ts|web\/client\/(format|icons|markdown|request|secrets|ui|view)\.tsx?)$/

/** The extension is a browser like the headless one: it drives tabs with the same code, and looks into that room. */
const SEES_MORE: Readonly<Record<string, string>> = { extension: 'browser' }

/** The package of its own that the service uses, too. */
const CLIENT = 'clients/typescript/src/index.ts'

/** What is bundled for browsers; how the extension is built is not. */
const FOR_BROWSERS = /^src\/(extension(?!\/build)|web\/client|browser\/(act|read)|wire)\//

/** What a machine may not know of. */
const IMPURE =
  /\b(Date\.now|new Date\(|Math\.random|setTimeout|setInterval|setImmediate|fetch\(|process\.|console\.|performance\.|crypto\.)/

export interface Import {
  readonly from: string
  /** A path of the tree, or the name of a package, or `node:…`. */
  readonly to: string
  readonly kind: 'file' | 'vendor' | 'node'
  readonly typeOnly: boolean
}

const TOKENS = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
const withoutComments = (source: string) => source.replace(TOKENS, (token) => (/^['"]/.test(token) ? token : ' '))
const withoutTexts = (source: string) => source.replace(TOKENS, ' ')

/** Every import of a file: static, dynamic and re-exported. */
export function importsOf(from: string, source: string): Import[] {
  const found = withoutComments(source).matchAll(
    /(?:^|[;\n])\s*(?:import|export)(\s+type\b)?(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g,
  )
  return [...found].map(([, type, fixed, dynamic]) => {
    const name = fixed ?? dynamic ?? ''
    const typeOnly = type !== undefined
    if (name.startsWith('.')) return { from, to: join(dirname(from), name), kind: 'file', typeOnly }
    if (name.startsWith('node:')) return { from, to: name, kind: 'node', typeOnly }
    return { from, to: name.split('/', name.startsWith('@') ? 2 : 1).join('/'), kind: 'vendor', typeOnly }
  })
}

const floorOf = (path: string) => FLOORS.indexOf(path.split('/')[0] ?? '')
const roomOf = (path: string) => (path.split('/')[1] ?? '').replace(/\.[tj]sx?$/, '')
const placeOf = (path: string) => (floorOf(path) === 2 ? `src/${roomOf(path)}` : (path.split('/')[0] ?? ''))
const code = (tree: Tree) => [...tree].filter(([path]) => floorOf(path) >= 0 && /\.[tj]sx?$/.test(path))
const imports = (tree: Tree) => code(tree).flatMap(([path, source]) => importsOf(path, source))
function groupByFile(all: readonly Import[]): Map<string, Import[]> {
  const groups = new Map<string, Import[]>()
  for (const each of all) groups.set(each.from, [...(groups.get(each.from) ?? []), each])
  return groups
}
const line = ({ from, to }: Import) => `${from} imports ${to}`

/** Rooms of src that are the start, or that every room may use: an arrow from or to them says nothing. */
const NOT_DRAWN = [...SEES_ALL, 'packed', 'wire', 'net', 'config']

/** Which room uses which at run time, as lines of the drawing in docs/map.md. */
export function arrowsOf(tree: Tree): string[] {
  const arrows = imports(tree)
    .filter(({ from, to, kind, typeOnly }) => kind === 'file' && !typeOnly && floorOf(from) === 2 && floorOf(to) === 2)
    .map(({ from, to }) => [roomOf(from), roomOf(to)] as const)
    .filter((rooms) => rooms[0] !== rooms[1] && !rooms.some((room) => NOT_DRAWN.includes(room)))
  return [...new Set(arrows.map((rooms) => rooms.join(' --> ')))].sort()
}

/** Each check gives what is wrong, one line for each finding. */
export const CHECKS: Readonly<Record<string, (tree: Tree) => string[]>> = {
  'imports go down only': (tree) =>
    imports(tree)
      .filter(({ from, to, kind }) => kind === 'file' && (floorOf(to) > floorOf(from) || floorOf(to) < 0))
      .filter(({ to }) => to !== 'package.json' && to !== CLIENT)
      .map(line),

  'the client for programs stands alone': (tree) =>
    [...tree]
      .filter(([path]) => path.startsWith('clients/typescript/src/'))
      .flatMap(([path, source]) => importsOf(path, source))
      .filter(({ to }) => !to.startsWith('clients/typescript/src/'))
      .map(line),

  'a machine imports xstate and machines only': (tree) =>
    imports(tree)
      .filter(({ from, to, kind }) => floorOf(from) === 0 && kind !== 'file' && to !== 'xstate')
      .map(line),

  'an actor imports no driver': (tree) =>
    imports(tree)
      .filter(({ from, to, kind }) => floorOf(from) === 1 && kind !== 'file' && !VENDORS_OF_ACTORS.includes(to))
      .map(line),

  'no cycle at run time': (tree) => {
    const below = groupByFile(imports(tree).filter(({ kind, typeOnly }) => kind === 'file' && !typeOnly))
    const done = new Set<string>()
    const found: string[] = []
    const walk = (path: string, above: readonly string[]) => {
      if (above.includes(path)) found.push([...above.slice(above.indexOf(path)), path].join(' → '))
      if (done.has(path) || above.includes(path)) return
      for (const { to } of below.get(path) ?? []) walk(to, [...above, path])
      done.add(path)
    }
    for (const path of below.keys()) walk(path, [])
    return found
  },

  'a vendor package has one importer': (tree) => {
    const importers = new Map<string, Set<string>>()
    for (const { from, to, kind } of imports(tree)) {
      if (kind !== 'vendor' || EVERYWHERE.includes(to)) continue
      const name = ONE_IN_EACH_ROOM.includes(to) ? `${to} in ${placeOf(from)}` : to
      importers.set(name, (importers.get(name) ?? new Set()).add(from))
    }
    return [...importers]
      .filter(([, files]) => files.size > 1)
      .map(([name, files]) => `${name}: ${[...files].join(', ')}`)
  },

  'a room knows nothing of the inside of another': (tree) =>
    imports(tree)
      .filter(({ from, to, kind }) => kind === 'file' && floorOf(from) === 2 && floorOf(to) === 2)
      .filter(
        ({ from, to }) =>
          roomOf(from) !== roomOf(to) &&
          SEES_MORE[roomOf(from)] !== roomOf(to) &&
          !SEES_ALL.includes(roomOf(from)) &&
          !SEEN_BY_ALL.test(to),
      )
      .map(line),

  'rooms use each other in one direction': (tree) => {
    const arrows = new Set(arrowsOf(tree))
    const reverse = (arrow: string) => arrow.split(' --> ').reverse().join(' --> ')
    return [...arrows].filter((arrow) => arrow < reverse(arrow) && arrows.has(reverse(arrow)))
  },

  'what is bundled for browsers imports nothing of node': (tree) => {
    const below = groupByFile(imports(tree).filter(({ typeOnly }) => !typeOnly))
    const reached = new Set([...tree.keys()].filter((path) => FOR_BROWSERS.test(path)))
    for (const path of reached) for (const { to, kind } of below.get(path) ?? []) if (kind === 'file') reached.add(to)
    return [...reached].flatMap((path) => (below.get(path) ?? []).filter(({ kind }) => kind === 'node').map(line))
  },

  'a machine is pure': (tree) =>
    code(tree)
      .filter(([path]) => floorOf(path) === 0)
      .flatMap(([path, source]) => {
        const word = IMPURE.exec(withoutTexts(source))?.[0]
        return word === undefined ? [] : [`${path} says ${word}`]
      }),

  'a process has its machine, its actor, its test and its drawing': (tree) => {
    const exported = code(tree)
      .filter(([path]) => floorOf(path) === 0)
      .flatMap(([, source]) => [...source.matchAll(/^export const (\w+)Machine\b/gm)].map(([, name]) => name ?? ''))
    return [...new Set([...PROCESSES, ...exported])].flatMap((name) =>
      [
        `machines/${name}.ts`,
        `actors/${name}.ts`,
        `test/machines/${name}.test.ts`,
        `src/observe/inspector/drawings/${name}.svg`,
      ]
        .filter((path) => !tree.has(path))
        .map((path) => `${name} lacks ${path}`),
    )
  },

  'no test is lonely, skipped without a count, or to be done later': (tree) =>
    [...tree]
      .filter(([path]) => path.endsWith('.ts') && path !== 'test/long/runner.test.ts')
      .flatMap(([path, source]) => {
        const word = /\b(TODO|FIXME)\b|\.only\(|\btest\.skip\(/.exec(
          path.startsWith('test/') ? withoutTexts(source) : source,
        )
        return word === null ? [] : [`${path} says ${word[0]}`]
      }),
}
