import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** A file or directory of the repository. What the build makes is in `built.ts`. */
export const inRepository = (...names: ReadonlyArray<string>): string => path.join(root, ...names)

/** Whether other users may look at what is in a directory: a clone below a directory of root's alone cannot be run by them. */
export const isOpenToOthers = (directory: string): boolean =>
  (fs.statSync(directory).mode & 0o001) !== 0 &&
  (path.dirname(directory) === directory || isOpenToOthers(path.dirname(directory)))
