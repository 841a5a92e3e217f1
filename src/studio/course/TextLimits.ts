/** How large a text may be that is edited in the page: nobody else is answered while it is checked. */

/** Most characters. */
export const MAX_LENGTH = 100_000

/** Most values of its document. */
export const MAX_VALUES = 20_000
