const ROUTES = [
  'account',
  'keys',
  'service',
  'sessions',
  'sign-in',
  'tasks-list',
  'tasks-read',
  'tasks-start',
  'events',
  'files',
  'files-browser',
  'files-url',
  'limits',
]

/** The suites of HTTP that stand on a ground. */
export const HTTP = ['auth', 'openapi', 'surface', ...ROUTES.map((name) => `routes/${name}`)].map(
  (name) => `http/${name}.test.ts`,
)
