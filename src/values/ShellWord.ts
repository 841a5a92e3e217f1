/** Quotes words of commands that a person pastes into a shell. */

/** Quotes a word for a POSIX shell if it needs quotes. */
export const quoteWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
