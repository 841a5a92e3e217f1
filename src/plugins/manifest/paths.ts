import * as path from "node:path"

/** Whether a path lies in a directory, or is that directory. Both absolute and normal; nothing is looked up. */
export const isInside = (place: string, directory: string): boolean => {
  const relative = path.relative(directory, place)
  return relative === "" || (!path.isAbsolute(relative) && relative !== ".." && !relative.startsWith(`..${path.sep}`))
}

/** Whether a path lies in one of some directories, or is one of them. As `isInside`. */
export const isInsideAny = (place: string, directories: ReadonlyArray<string>): boolean =>
  directories.some((directory) => isInside(place, directory))

/** What a path or a name says that is not what it seems to say, or undefined. */
export const confusableCharacter = (text: string): string | undefined => {
  if (/\p{Cc}|[\u2028\u2029]/u.test(text)) return "a control character or a line break"
  if (/\p{Cf}/u.test(text)) return "a character that is not seen or turns the direction of writing"
  if (text.includes("\ufffd")) return "bytes that are no UTF-8"
  if (text.split("/").some(isLookAlike)) return 'a character that looks like ".", "/" or "\\" and is another'
  return undefined
}

/**
 * Whether one segment of a path would be, or hold, a separator or a dot segment if someone on the way replaced compatible
 * characters by plain ones (Unicode NFKC), as file systems and tools do: `．．`, `‥`, `a／b`.
 */
const isLookAlike = (segment: string): boolean => {
  const plain = segment.normalize("NFKC")
  if (plain === segment) return false
  return /^\.{1,2}$/.test(plain) || (/[/\\]/.test(plain) && !/[/\\]/.test(segment))
}

/** Two names with the same key are one name to some file systems: differences of case and of Unicode's forms are none. */
export const collisionKey = (name: string): string => name.normalize("NFKC").toUpperCase().toLowerCase()
