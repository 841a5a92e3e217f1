/** Detects text that differs from its stored bytes: invalid UTF-8 and embedded NULs. */

/** Invalid UTF-8 decodes to this character, so text with it may hide other bytes than the hashed ones. */
const REPLACEMENT = "\uFFFD"

/**
 * True if a text may differ from its stored bytes. It may also be cut: `node:sqlite` of Node 22 and early 24 reads a
 * text only up to its first NUL.
 *
 * @param length of the stored text, in bytes
 */
export const mayDifferFromBytes = (text: string, length: number): boolean =>
  text.includes(REPLACEMENT) || Buffer.byteLength(text) !== length

/** True if bytes (null: none) are exactly the UTF-8 of a text. */
export const isExactly = (text: string, bytes: unknown): boolean =>
  bytes instanceof Uint8Array ? Buffer.from(text).equals(bytes) : text === "" && bytes === null
