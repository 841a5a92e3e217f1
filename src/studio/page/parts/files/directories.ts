/** The files of a workspace by directories. Pure. */
import type { FileRow } from "../../../wire/Files.ts"

export interface Directory {
  readonly name: string
  /** From the recorded directory on, without a slash at the end; empty for that directory itself. */
  readonly path: string
  readonly directories: ReadonlyArray<Directory>
  readonly files: ReadonlyArray<FileRow>
  /** The number of changed files in it and below. */
  readonly changed: number
}

interface Growing {
  readonly below: Map<string, Growing>
  readonly files: Array<FileRow>
  changed: number
}

/** Sorts files into directories, each by name. */
export const directoryOf = (files: ReadonlyArray<FileRow>): Directory => {
  const root = grow()
  for (const file of files) {
    const names = file.path.split("/", MAX_DEPTH).slice(0, -1)
    let at = root
    const counts = file.change === undefined ? 0 : 1
    at.changed += counts
    for (const name of names) {
      const below = at.below.get(name) ?? grow()
      at.below.set(name, below)
      below.changed += counts
      at = below
    }
    at.files.push(file)
  }
  return finished(root, "", "")
}

/** A path from elsewhere may have any number of directories: those further down are shown as files here. */
const MAX_DEPTH = 50

const grow = (): Growing => ({ below: new Map(), files: [], changed: 0 })

const finished = ({ below, files, changed }: Growing, name: string, path: string): Directory => ({
  name,
  path,
  changed,
  directories: [...below]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([child, directory]) => finished(directory, child, path === "" ? child : `${path}/${child}`)),
  files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
})
