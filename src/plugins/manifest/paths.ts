/**
 * Checks paths and names as text, without reading the disk: containment, confusable characters, case-insensitive
 * collisions.
 */
import * as path from "node:path"

/** Whether a path is a directory or within it. Both must be absolute and normalised; links are not resolved. */
export const isInside = (place: string, directory: string): boolean => {
  const relative = path.relative(directory, place)
  return relative === "" || (!path.isAbsolute(relative) && relative !== ".." && !relative.startsWith(`..${path.sep}`))
}

/** `isInside` for at least one directory. */
export const isInsideAny = (place: string, directories: ReadonlyArray<string>): boolean =>
  directories.some((directory) => isInside(place, directory))

/** Describes the first misleading character of a path or name. Undefined if there is none. */
export const confusableCharacter = (text: string): string | undefined => {
  if (/\p{Cc}|[\u2028\u2029]/u.test(text)) return "a control character or a line break"
  if (/\p{Cf}/u.test(text)) return "an invisible character, or one that changes the direction of writing"
  if (text.includes("\ufffd")) return "bytes that are not UTF-8"
  if (text.split("/").some(isConfusable)) return 'a character that only looks like ".", "/" or "\\"'
  return undefined
}

/**
 * Whether Unicode NFKC normalisation, which some file systems and tools apply, turns a segment into `.` or `..` or adds
 * a separator. Examples: `．．`, `‥`, `a／b`.
 */
const isConfusable = (segment: string): boolean => {
  const plain = segment.normalize("NFKC")
  if (plain === segment) return false
  return /^\.{1,2}$/.test(plain) || (/[/\\]/.test(plain) && !/[/\\]/.test(segment))
}

/** Equal for names that some file systems treat as one: ignores case and Unicode normalisation. */
export const collisionKey = (name: string): string => name.normalize("NFKC").toUpperCase().toLowerCase()
