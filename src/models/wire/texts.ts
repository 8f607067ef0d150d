/** Sentences for models that some endpoints need. */

const NO_IMAGE = '(There was a screenshot here: this model sees no pictures. Read the page instead.)'

/** The text of a result whose image is not sent. */
export const noted = (text: string): string => (text === '' ? NO_IMAGE : `${text}\n${NO_IMAGE}`)

/** What an assistant says between the results of tools and the words of a user. */
export const UNDERSTOOD = 'Understood.'
