/** Where the authentication library answers. */
export const AUTH_PATH = '/api/auth'
