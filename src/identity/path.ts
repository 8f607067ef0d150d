/** Where the authentication library answers. */
export const AUTH_PATH = '/api/auth'
/** The provider of OpenID Connect, in paths and in the table of accounts. */
export const OIDC = 'oidc'
