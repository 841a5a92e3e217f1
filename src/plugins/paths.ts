import * as path from "node:path"

/** Whether a path lies in a directory, or is that directory. Both absolute and normal; nothing is looked up. */
export const isInside = (place: string, directory: string): boolean => {
  const relative = path.relative(directory, place)
  return relative === "" || (!path.isAbsolute(relative) && relative !== ".." && !relative.startsWith(`..${path.sep}`))
}

/** Whether a path lies in one of some directories, or is one of them. As `isInside`. */
export const isInsideAny = (place: string, directories: ReadonlyArray<string>): boolean =>
  directories.some((directory) => isInside(place, directory))
