/** Whether an `Accept` header names this media type, in any case, and does not refuse it by `q=0`. */
export const accepts = (header: string | undefined, type: string): boolean =>
  (header ?? '').split(',').some((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return name === type && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter))
  })
