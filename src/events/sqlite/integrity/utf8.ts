/** Bytes that are not UTF-8 are read as this character: behind it, other bytes may stand than those that were hashed. */
const REPLACEMENT = "\uFFFD"

/**
 * Whether a text that was read may stand for other bytes. It may also be too short: `node:sqlite` of Node 22 and early 24 reads a text
 * as far as its first NUL.
 *
 * @param length of the text as it is stored, in bytes
 */
export const hidesBytes = (text: string, length: number): boolean =>
  text.includes(REPLACEMENT) || Buffer.byteLength(text) !== length

/** Whether these bytes, or null for none, are those of a text. */
export const isExactly = (text: string, bytes: unknown): boolean =>
  bytes instanceof Uint8Array ? Buffer.from(text).equals(bytes) : text === "" && bytes === null
