/** [E31] The body of an error, with what every one has: `more` is what this one has beside. */
export const refusal = (error: string, code: string, more: object = {}) => ({
  error,
  code,
  ...more,
  doc_url: `/docs/errors#${code}`,
})

/** The same about a value of the body. */
export const refusalOf = (pointer: string, error: string, code: string) =>
  refusal(error, code, { param: pointer.split('/')[1], pointer })
