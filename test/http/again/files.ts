/** The suites of HTTP that stand on a ground. */
export const HTTP = [
  'account',
  'auth',
  'keys',
  'openapi',
  'service',
  'sessions',
  'sign-in',
  'surface',
  'tasks-list',
  'tasks-read',
  'tasks-start',
].map((name) => `http/${name}.test.ts`)
