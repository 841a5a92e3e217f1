/** Size limits of texts edited in the page: while the server checks one, it answers nobody else. */

/** Maximum length in characters. */
export const MAX_LENGTH = 100_000

/** Maximum number of values in the document. */
export const MAX_VALUES = 20_000
