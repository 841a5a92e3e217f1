/**
 * Checks on paths and names: containment, confusable characters and case-insensitive collisions. They compare text only
 * and do not read the disk.
 */
import * as path from "node:path"

/** Whether a path is a directory or lies in it. Both must be absolute and normalised. Links are not resolved. */
export const isInside = (place: string, directory: string): boolean => {
  const relative = path.relative(directory, place)
  return relative === "" || (!path.isAbsolute(relative) && relative !== ".." && !relative.startsWith(`..${path.sep}`))
}

/** Whether `isInside` holds for at least one of the directories. */
export const isInsideAny = (place: string, directories: ReadonlyArray<string>): boolean =>
  directories.some((directory) => isInside(place, directory))

/** Describes the first misleading character of a path or name, or returns undefined. */
export const confusableCharacter = (text: string): string | undefined => {
  if (/\p{Cc}|[\u2028\u2029]/u.test(text)) return "a control character or a line break"
  if (/\p{Cf}/u.test(text)) return "an invisible character, or one that changes the direction of writing"
  if (text.includes("\ufffd")) return "bytes that are no UTF-8"
  if (text.split("/").some(isConfusable)) return 'a character that looks like ".", "/" or "\\" and is another'
  return undefined
}

/**
 * Whether a path segment becomes `.` or `..`, or gains a separator, under Unicode NFKC normalisation, which some file
 * systems and tools apply. Examples: `．．`, `‥`, `a／b`.
 */
const isConfusable = (segment: string): boolean => {
  const plain = segment.normalize("NFKC")
  if (plain === segment) return false
  return /^\.{1,2}$/.test(plain) || (/[/\\]/.test(plain) && !/[/\\]/.test(segment))
}

/**
 * A key that is equal for names which some file systems treat as the same: it ignores case and Unicode normalisation.
 */
export const collisionKey = (name: string): string => name.normalize("NFKC").toUpperCase().toLowerCase()
